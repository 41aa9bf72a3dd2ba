import { useEffect, useState } from 'react';
import { formatMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { stepStatusText, toneOf } from '../activity/statuses.ts';
import { formatDuration } from '../operate/duration.ts';
import { Code } from '../operate/Folded.tsx';
import type { RunWithSteps, Step } from './run-query.ts';
import { STEP_KINDS } from './step-kinds.ts';
import styles from './Timeline.module.css';

/** What waits grows on the screen so often. */
const TICK_MS = 1_000;

/** One line per step on a time axis; what failed stands first. */
export function Timeline({ run: { steps, createdAt, finishedAt } }: { readonly run: RunWithSteps }) {
  const now = useNow(finishedAt === null);
  const begin = Date.parse(createdAt);
  const end = Math.max(begin + 1, finishedAt === null ? now : Date.parse(finishedAt));
  const ordered = steps.toSorted((one, other) => Number(other.status === 'FAILED') - Number(one.status === 'FAILED'));
  return (
    <section className={styles.timeline} aria-label={t('Steps')}>
      <div className={styles.axis} aria-hidden="true">
        <span>{formatMoment(createdAt)}</span>
        <span>{formatDuration(end - begin)}</span>
      </div>
      <ul>
        {ordered.map((step) => (
          <li key={step.key}>
            <StepLine step={step} begin={begin} end={end} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface StepLineProps {
  readonly step: Step;
  readonly begin: number;
  readonly end: number;
}

function StepLine({ step, begin, end }: StepLineProps) {
  const { key, type, status, iteration = [], startedAt, finishedAt, attempt, error, output } = step;
  const from = startedAt === null ? end : Date.parse(startedAt);
  const to = finishedAt === null ? end : Date.parse(finishedAt);
  const share = (time: number): number => ((time - begin) / (end - begin)) * 100;
  const took = startedAt === null ? '' : formatDuration(Math.max(0, to - from));
  return (
    <details className={styles.step}>
      <summary>
        <span className={styles.name} style={{ paddingLeft: `${iteration.length * 16}px` }}>
          <strong>{key}</strong> <span className={styles.type}>{kindText(type)}</span>
        </span>
        <StatusMark tone={toneOf(status)}>{stepStatusText(status)}</StatusMark>
        <span className={styles.lane} aria-hidden="true">
          {startedAt !== null && (
            <span
              className={styles.bar}
              data-status={status}
              data-waits={isWait(step) || undefined}
              style={{ left: `${share(from)}%`, width: `max(3px, ${share(to) - share(from)}%)` }}
            />
          )}
        </span>
        <span className={styles.took}>{took}</span>
      </summary>
      <div className={styles.more}>
        {attempt > 1 && <p>{t('Attempt {number}', { number: attempt })}</p>}
        {error && (
          <p className={styles.error}>
            {error.message} ({error.code})
          </p>
        )}
        {output !== null && output !== undefined && <Code>{JSON.stringify(output, null, 2)}</Code>}
        {!error && (output === null || output === undefined) && <p>{t('It has no output that you may read.')}</p>}
      </div>
    </details>
  );
}

function kindText(type: string): string {
  const kind = STEP_KINDS[type];
  return kind === undefined ? type : t(kind);
}

function isWait({ type, status }: Step): boolean {
  return status === 'WAITING' || ['wait', 'waitForEvent', 'approval'].includes(type);
}

/** The present, as long as something goes on. */
function useNow(isGoing: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isGoing) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isGoing]);
  return now;
}
