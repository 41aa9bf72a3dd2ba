import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { stepStatusText, toneOf } from '../activity/statuses.ts';
import { RECORD_STEPS, STEP_KINDS } from '../runs/step-kinds.ts';
import { mapsIn } from './maps-in.ts';
import styles from './StepList.module.css';
import type { Content } from './yaml-text.ts';

/** What a step is about, the most telling first. */
const ABOUT = [
  'assert',
  'commandCode',
  'modelCode',
  'automationCode',
  'url',
  'eventType',
  'event',
  'seconds',
  'until',
  'items',
  'assistant',
] as const;
/** In which steps stand within a step. */
const INNER = ['steps', 'else'] as const;

interface StepListProps {
  readonly label: string;
  readonly steps: unknown;
  /** How steps of a run stand, by their ids. */
  readonly statuses?: ReadonlyMap<string, string> | undefined;
}

/** Steps in their order, each as what it does; those within others stand further in. */
export function StepList({ label, steps, statuses }: StepListProps) {
  const all = mapsIn(steps);
  if (all.length === 0) return null;
  return (
    <ol className={styles.steps} aria-label={label}>
      {all.map((step, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>
          <OneStep step={step} statuses={statuses} />
        </li>
      ))}
    </ol>
  );
}

function OneStep({ step, statuses }: { readonly step: Content } & Pick<StepListProps, 'statuses'>) {
  const { id, type, operation, cases } = step;
  const kind = typeof type === 'string' ? type : '';
  const does = Object.hasOwn(STEP_KINDS, kind) ? STEP_KINDS[kind] : RECORD_STEPS[String(operation)];
  const status = typeof id === 'string' ? statuses?.get(id) : undefined;
  const key = ABOUT.find((one) => typeof step[one] === 'string' || typeof step[one] === 'number');
  return (
    <>
      <div className={styles.step}>
        <span className={styles.does}>
          <strong>{does === undefined ? kind : t(does)}</strong>
          {key !== undefined && <About name={key} value={String(step[key])} />}
        </span>
        {status !== undefined && <StatusMark tone={toneOf(status)}>{stepStatusText(status)}</StatusMark>}
        {typeof id === 'string' && <code className={styles.id}>{id}</code>}
      </div>
      {mapsIn(cases).map((one, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={styles.way}>
          <span>
            {t('if')} <code>{String(one.if)}</code>
          </span>
          <StepList label={t('Steps')} steps={one.steps} statuses={statuses} />
        </div>
      ))}
      {INNER.map((name) =>
        mapsIn(step[name]).length === 0 ? null : (
          <div key={name} className={styles.way}>
            {name !== 'steps' && <span>{t('else')}</span>}
            <StepList label={t('Steps')} steps={step[name]} statuses={statuses} />
          </div>
        ),
      )}
    </>
  );
}

function About({ name, value }: { readonly name: (typeof ABOUT)[number]; readonly value: string }) {
  const type = name === 'modelCode' ? 'MODEL' : name === 'commandCode' ? 'COMMAND' : null;
  if (type === null) return <code>{name === 'seconds' ? `${value} s` : value}</code>;
  return (
    <Link to="/build/$type/$code" params={{ type, code: value }} search={{}}>
      {value}
    </Link>
  );
}
