import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Application, Me } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { formatNumber } from '../../app/format.ts';
import { may } from '../../app/permissions.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { hasEnded, type Import } from '../../parts/activity/activity-query.ts';
import { importName } from '../../parts/activity/import-name.ts';
import { statusText, toneOf } from '../../parts/activity/statuses.ts';
import { ChoiceChip } from '../../parts/operate/ChoiceChip.tsx';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { MoreRows } from '../../parts/operate/MoreRows.tsx';
import { useAddress } from '../../parts/operate/use-address.ts';
import { Blank } from '../../ui/Blank.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

const STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
const PAGE_SIZE = 50;
const LOOK_EVERY_MS = 15_000;

/** The imports of the tenant, or of the caller alone: one's own opens where it was begun. */
export function ImportsScreen() {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const [{ state, user }, change] = useAddress();
  const status = STATUSES.find((one) => one === state);
  const seesAll = may(me, 'execution:read');
  const scope = seesAll && user === undefined ? 'tenant' : 'own';
  const isFiltered = state !== undefined || user !== undefined;
  const found = useInfiniteQuery({
    queryKey: ['imports', 'list', scope, status],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) =>
      ask('GET /api/imports', { query: { cursor, scope, pageSize: PAGE_SIZE, ...(status && { status }) }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ records }) => records.some((one) => !hasEnded(one))) ? LOOK_EVERY_MS : false,
  });
  const rows = found.data?.pages.flatMap(({ records }) => records) ?? [];
  return (
    <LogScreen
      title={t('Imports')}
      filters={
        <>
          <ChoiceChip
            label={t('State')}
            value={state}
            options={STATUSES.map((one) => [one, statusText(one)])}
            onChange={(next) => change({ state: next })}
          />
          {seesAll && (
            <ChoiceChip
              label={t('Who')}
              value={user}
              options={[[me.userPid, t('Only mine')]]}
              onChange={(next) => change({ user: next })}
            />
          )}
        </>
      }
    >
      <Found
        query={found}
        isEmpty={rows.length === 0}
        none={
          <Blank
            title={
              isFiltered
                ? t('No import is like this')
                : seesAll
                  ? t('No file was imported yet')
                  : t('You have not imported a file.')
            }
            advice={t('Files are imported on the page of their records. How far each has come is shown here.')}
          />
        }
      >
        <LogTable label={t('Imports')} columns={columns(application, me)} rows={rows} keyOf={({ pid }) => pid} />
        <MoreRows query={found} />
      </Found>
    </LogScreen>
  );
}

function columns(application: Application, me: Me): LogColumn<Import>[] {
  return [
    { label: t('Time'), cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      label: t('Import'),
      cell: (item) =>
        // What is wrong with which row is for who has imported it alone.
        item.userPid === me.userPid ? (
          <Link to="/pages/$pageKey/import" params={{ pageKey: item.pageKey }} search={{ pid: item.pid }}>
            {importName(application, item)}
          </Link>
        ) : (
          importName(application, item)
        ),
    },
    { label: t('State'), cell: ({ status }) => <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark> },
    { label: t('Who'), cell: ({ username }) => username },
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
