import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { formatNumber } from '../../app/format.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { hasEnded, type Import } from '../../parts/activity/activity-query.ts';
import { importName } from '../../parts/activity/import-name.ts';
import { statusText, toneOf } from '../../parts/activity/statuses.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { MoreRows } from '../../parts/operate/MoreRows.tsx';
import { Blank } from '../../ui/Blank.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

const PAGE_SIZE = 50;
const LOOK_EVERY_MS = 15_000;

/** The imports of the caller: each opens where it was begun. */
export function ImportsScreen() {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const found = useInfiniteQuery({
    queryKey: ['imports', 'list'],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) =>
      ask('GET /api/imports', { query: { cursor, pageSize: PAGE_SIZE }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ records }) => records.some((one) => !hasEnded(one))) ? LOOK_EVERY_MS : false,
  });
  const rows = found.data?.pages.flatMap(({ records }) => records) ?? [];
  return (
    <LogScreen title={t('Imports')}>
      <Found
        query={found}
        isEmpty={rows.length === 0}
        none={
          <Blank
            title={t('You have not imported a file.')}
            advice={t('A page imports files by its export menu; how they stand is shown here.')}
          />
        }
      >
        <LogTable label={t('Imports')} columns={columns(application)} rows={rows} keyOf={({ pid }) => pid} />
        <MoreRows query={found} />
      </Found>
    </LogScreen>
  );
}

function columns(application: Application): LogColumn<Import>[] {
  return [
    { label: t('Time'), cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      label: t('Import'),
      cell: (item) => (
        <Link to="/pages/$pageKey/import" params={{ pageKey: item.pageKey }} search={{ pid: item.pid }}>
          {importName(application, item)}
        </Link>
      ),
    },
    { label: t('State'), cell: ({ status }) => <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark> },
    { label: t('What happened'), cell: ({ error }) => error?.message ?? '', isMinor: true, isWide: true },
    {
      label: t('Rows'),
      cell: ({ done, total }) =>
        total === null ? formatNumber(done) : `${formatNumber(done)} / ${formatNumber(total)}`,
      isNumber: true,
    },
    {
      label: t('Wrong'),
      cell: ({ failed }) => (failed === 0 ? '' : formatNumber(failed)),
      isNumber: true,
      isMinor: true,
    },
  ];
}
