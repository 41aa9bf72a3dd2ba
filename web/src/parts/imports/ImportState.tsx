import type { StreamEvent } from '@keelson/client';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Page } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { queries } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { useStreams } from '../../app/use-stream.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Progress } from '../../ui/Progress.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { ACTIVITY, hasEnded, type Import } from '../activity/activity-query.ts';
import { statusText, toneOf } from '../activity/statuses.ts';
import { downloadFile } from '../files/download.ts';
import { recordsKey } from '../records/record-list.ts';
import styles from './ImportState.module.css';
import { importQuery } from './import-query.ts';
import { WrongRows } from './WrongRows.tsx';

interface ImportStateProps {
  readonly page: Page;
  readonly item: Import;
  readonly onBegun: (importPid: string) => void;
  /** Back to the mapping. */
  readonly onChange: () => void;
}

/** How an import stands, live; what is wrong with which row; and the way on. */
export function ImportState({ page, item, onBegun, onChange }: ImportStateProps) {
  const { pid, status, dryRun, total, done, created, updated, failed, error, errorFilePid, failedRowsFilePid } = item;
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);
  const isOver = hasEnded(item);
  // The file with its problems is written behind the end.
  const isWhole = isOver && (failed === 0 || errorFilePid !== null);
  const hear = useCallback(
    ({ event, data }: StreamEvent) => {
      const { queryKey } = importQuery(pid);
      if (event === 'import') queries.setQueryData(queryKey, data as Import);
      if (event !== 'end') return;
      void queries.invalidateQueries({ queryKey });
      void queries.invalidateQueries({ queryKey: ACTIVITY });
      void queries.invalidateQueries({ queryKey: recordsKey(page.pageKey) });
    },
    [pid, page.pageKey],
  );
  useStreams(isWhole ? [] : [`/api/imports/${pid}/stream`], hear);

  async function act(work: () => Promise<void>) {
    setSending(true);
    setProblem(null);
    try {
      await work();
    } catch (failure) {
      setProblem(shown(failure));
    }
    setSending(false);
  }

  const begin = () =>
    act(async () => {
      const { filePid, format, mapping, mode, matchOn, delimiter } = item;
      const given = { ...(matchOn !== null && { matchOn }), ...(delimiter !== null && { delimiter }) };
      const [commandCode] = [...new Set(Object.values(item.commands))];
      const named = Object.values(item.commands).length === 1 && commandCode !== undefined ? { commandCode } : {};
      const { importPid } = await ask('POST /api/dynamic/{pageKey}/imports', {
        params: { pageKey: page.pageKey },
        body: { filePid, format, mapping, mode, ...given, ...named },
      });
      await queries.invalidateQueries({ queryKey: ACTIVITY });
      onBegun(importPid);
    });
  const cancel = () =>
    act(async () => {
      queries.setQueryData(importQuery(pid).queryKey, await ask('POST /api/imports/{pid}/cancel', { params: { pid } }));
    });
  const right = created + updated;
  const isTried = dryRun && status === 'SUCCEEDED';
  return (
    <div className={styles.state}>
      <p className={styles.head} role="status">
        <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark>
        <span>{headOf(item)}</span>
      </p>
      {!isOver && <Progress label={t('Rows done')} done={done} total={total} />}
      {error && <Problem title={error.message} />}
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      {isOver && !isWhole && <Skeleton width={70} />}
      {failed > 0 && errorFilePid !== null && (
        <div className={styles.wrong}>
          <div className={styles.wrongHead}>
            <h2>{plural(failed, '{count} row is wrong', '{count} rows are wrong')}</h2>
            {failedRowsFilePid !== null && (
              <Button
                onClick={() => void act(() => downloadFile(failedRowsFilePid, `${page.pageKey}-failed-rows.csv`))}
              >
                {t('Download these rows')}
              </Button>
            )}
            <Button onClick={() => void act(() => downloadFile(errorFilePid, `${page.pageKey}-errors.csv`))}>
              {t('Download all problems')}
            </Button>
          </div>
          <WrongRows importPid={pid} />
          {!dryRun && failedRowsFilePid !== null && (
            <p>{t('Correct these rows in their file, and import that: those that were right are there already.')}</p>
          )}
        </div>
      )}
      <div className={styles.actions}>
        {!isOver && (
          <Button disabled={isSending} onClick={() => void cancel()}>
            {t('Stop the import')}
          </Button>
        )}
        {isOver && <Button onClick={onChange}>{dryRun ? t('Change the columns') : t('Import another file')}</Button>}
        {isTried && (
          <Button look="primary" disabled={isSending || right === 0} onClick={() => void begin()}>
            {plural(right, 'Import {count} row', 'Import {count} rows')}
          </Button>
        )}
        {isOver && !dryRun && (
          <Link to="/pages/$pageKey" params={{ pageKey: page.pageKey }} className={styles.link}>
            {t('Show {page}', { page: page.name })}
          </Link>
        )}
      </div>
    </div>
  );
}

function headOf({ dryRun, status, created, updated, failed }: Import): string {
  if (status === 'PENDING' || status === 'RUNNING') {
    return dryRun
      ? t('All rows are tried, and nothing is written yet.')
      : t('The rows are written. You may leave this page.');
  }
  const parts = [
    created > 0 && plural(created, '{count} record created', '{count} records created'),
    updated > 0 && plural(updated, '{count} record changed', '{count} records changed'),
    failed > 0 && plural(failed, '{count} row left out', '{count} rows left out'),
  ].filter((part) => part !== false);
  if (parts.length === 0) {
    return status === 'SUCCEEDED' ? t('The file has no rows.') : t('It has ended before its first row.');
  }
  return dryRun ? t('An import would do this: {what}', { what: parts.join(', ') }) : parts.join(', ');
}
