import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { nameField, type Model, type Page } from '../../app/application.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { formatNumber } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { ChangeList } from '../record/ChangeList.tsx';
import { textOf } from '../fields/field-kind.ts';
import { undoOfUpdates } from '../record/undo.ts';
import { FailedRead } from '../notices/FailedRead.tsx';
import { recordsKey } from '../records/record-list.ts';
import styles from './BulkRun.module.css';
import {
  newBatchRun,
  previewBatch,
  runBatch,
  type BatchRun,
  type BulkCommand,
  type BulkItem,
  type BulkOutcome,
} from './run-batch.ts';

interface BulkRunProps {
  readonly page: Page;
  readonly model: Model;
  readonly bulk: BulkCommand;
  readonly items: readonly BulkItem[];
  /** What else is to be said above the preview. */
  readonly note?: string | undefined;
  readonly onBack?: (() => void) | undefined;
  readonly onDone: () => void;
}

/** Rows of a preview. */
const SHOWN = 50;

/** What a command would do with many records; then it does it, and says what became of each. */
export function BulkRun({ page, model, bulk, items, note, onBack, onDone }: BulkRunProps) {
  const cache = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const {
    data: preview,
    error,
    refetch,
  } = useQuery({
    queryKey: [...recordsKey(page.pageKey), 'preview', bulk.command.code, items],
    queryFn: () => previewBatch(bulk, items),
    gcTime: 0,
    staleTime: Infinity,
  });
  const begun = useRef<BatchRun>(null);
  const [done, setDone] = useState<number | null>(null);
  const [failed, setFailed] = useState<readonly BulkOutcome[] | null>(null);
  const [problem, setProblem] = useState<ShownError | null>(null);
  const good = (preview ?? []).filter((outcome) => outcome.problem === null).map(({ item }) => item);

  async function run() {
    begun.current ??= newBatchRun();
    setDone(begun.current.outcomes.length);
    setProblem(null);
    try {
      const outcomes = await runBatch(bulk, good, begun.current, setDone);
      const changed = outcomes.filter((outcome) => outcome.problem === null).map(({ item }) => item.record);
      const bad = outcomes.filter((outcome) => outcome.problem !== null);
      const isUpdate = bulk.operation === 'UPDATE';
      say(
        plural(changed.length, '{count} record is changed', '{count} records are changed'),
        isUpdate ? undoOfUpdates(me, model, page.pageKey, changed) : undefined,
      );
      if (bad.length === 0) onDone();
      else setFailed(bad);
    } catch (caught) {
      setProblem(shown(caught));
      setDone(null);
    }
    await cache.invalidateQueries({
      queryKey: recordsKey(page.pageKey),
      predicate: ({ queryKey }) => queryKey[2] !== 'preview',
    });
  }

  const refused = (preview ?? []).filter((outcome) => outcome.problem !== null);
  const shownOutcomes = failed ?? [...refused, ...(preview ?? []).filter((outcome) => outcome.problem === null)];
  return (
    <div className={styles.run}>
      {note !== undefined && <p className={styles.note}>{note}</p>}
      {error && <FailedRead error={error} onRetry={() => void refetch()} />}
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      {preview && (
        <p role="status">
          {failed
            ? plural(failed.length, '{count} record has failed', '{count} records have failed')
            : plural(good.length, '{count} record will change', '{count} records will change')}
          {!failed && refused.length > 0 && ` · ${plural(refused.length, '{count} cannot', '{count} cannot')}`}
        </p>
      )}
      {!preview && !error && <Skeleton width={60} />}
      <ul className={styles.outcomes}>
        {shownOutcomes.slice(0, SHOWN).map(({ item: { record }, problem: reason, changes }) => (
          <li key={record.pid}>
            <strong>{textOf(record[nameField(model)]) || record.pid}</strong>
            {reason === null ? (
              <ChangeList changes={changes} model={model} />
            ) : (
              <span className={styles.reason}>{reason}</span>
            )}
          </li>
        ))}
      </ul>
      {shownOutcomes.length > SHOWN && (
        <p className={styles.note}>{t('and {count} more', { count: formatNumber(shownOutcomes.length - SHOWN) })}</p>
      )}
      {done !== null && !failed && (
        <label className={styles.progress}>
          <progress max={good.length} value={done} />
          {t('{done} of {count}', { done: formatNumber(done), count: formatNumber(good.length) })}
        </label>
      )}
      <div className={styles.actions}>
        {failed ? (
          <Button onClick={onDone}>{t('Close')}</Button>
        ) : (
          <>
            {onBack && (
              <Button disabled={done !== null} onClick={onBack}>
                {t('Back')}
              </Button>
            )}
            <Button look="primary" disabled={good.length === 0 || done !== null} onClick={() => void run()}>
              {plural(good.length, 'Change {count} record', 'Change {count} records')}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
