import { Link } from '@tanstack/react-router';
import { t, type TextKey } from '../../app/texts.ts';
import styles from './StepList.module.css';
import type { Content } from './yaml-text.ts';

const KINDS: Readonly<Record<string, TextKey>> = {
  approval: 'asks someone',
  assistant: 'asks an assistant',
  branch: 'goes one of several ways',
  command: 'runs a command',
  condition: 'goes on if',
  emit: 'tells it as an event',
  forEach: 'does it for each',
  http: 'calls an address',
  query: 'reads records',
  require: 'requires',
  set: 'works out values',
  startAutomation: 'starts an automation',
  wait: 'waits',
  waitForEvent: 'waits for an event',
  webhook: 'sends to webhooks',
};
const OPERATIONS: Readonly<Record<string, TextKey>> = {
  CREATE: 'creates a record',
  UPDATE: 'changes a record',
  DELETE: 'deletes a record',
};
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

const isMap = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const stepsIn = (value: unknown): Content[] => (Array.isArray(value) ? value.filter(isMap) : []);

/** Steps in their order, each as what it does; those within others stand further in. */
export function StepList({ label, steps }: { readonly label: string; readonly steps: unknown }) {
  const all = stepsIn(steps);
  if (all.length === 0) return null;
  return (
    <ol className={styles.steps} aria-label={label}>
      {all.map((step, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>
          <OneStep step={step} />
        </li>
      ))}
    </ol>
  );
}

function OneStep({ step }: { readonly step: Content }) {
  const { id, type, operation, cases } = step;
  const kind = typeof type === 'string' ? type : '';
  const does = Object.hasOwn(KINDS, kind) ? KINDS[kind] : OPERATIONS[String(operation)];
  const key = ABOUT.find((one) => typeof step[one] === 'string' || typeof step[one] === 'number');
  return (
    <>
      <div className={styles.step}>
        <span className={styles.does}>
          <strong>{does === undefined ? kind : t(does)}</strong>
          {key !== undefined && <About name={key} value={String(step[key])} />}
        </span>
        {typeof id === 'string' && <code className={styles.id}>{id}</code>}
      </div>
      {stepsIn(cases).map((one, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={styles.way}>
          <span>
            {t('if')} <code>{String(one.if)}</code>
          </span>
          <StepList label={t('Steps')} steps={one.steps} />
        </div>
      ))}
      {INNER.map((name) =>
        stepsIn(step[name]).length === 0 ? null : (
          <div key={name} className={styles.way}>
            {name !== 'steps' && <span>{t('else')}</span>}
            <StepList label={t('Steps')} steps={step[name]} />
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
