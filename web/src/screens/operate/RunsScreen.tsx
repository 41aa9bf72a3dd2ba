import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { statusText, toneOf } from '../../parts/activity/statuses.ts';
import { ChoiceChip } from '../../parts/operate/ChoiceChip.tsx';
import { formatDuration } from '../../parts/operate/duration.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { PageSteps } from '../../parts/operate/PageSteps.tsx';
import { useAddress } from '../../parts/operate/use-address.ts';
import { automationName } from '../../parts/runs/automation-name.ts';
import { StartRun } from '../../parts/runs/StartRun.tsx';
import { RUNS, type Run } from '../../parts/runs/runs-query.ts';
import { triggerName } from '../../parts/runs/trigger-name.ts';
import { Blank } from '../../ui/Blank.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

const STATUSES = ['PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
const PAGE_SIZE = 50;
const LOOK_EVERY_MS = 15_000;

/** Runs of the automations that the caller may run. */
export function RunsScreen() {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const [{ state, automation, user, page }, change] = useAddress();
  const pageNum = Math.max(1, Number(page ?? 1) || 1);
  const status = STATUSES.find((one) => one === state);
  const isFiltered = [state, automation, user].some((one) => one !== undefined);
  const found = useQuery({
    queryKey: [...RUNS, 'list', { status, automation, user, pageNum }],
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_EVERY_MS,
    queryFn: ({ signal }) => {
      const query = {
        pageNum,
        pageSize: PAGE_SIZE,
        ...(status && { status }),
        ...(automation !== undefined && { automationCode: automation }),
        ...(user !== undefined && { startedBy: user }),
      };
      return ask('GET /api/automations/runs', { query, signal });
    },
  });
  const rows = found.data?.records ?? [];
  const filter = (name: string) => (next: string | undefined) => change({ [name]: next, page: undefined });
  return (
    <LogScreen
      title={t('Runs')}
      actions={<StartRun application={application} suggested={automation} />}
      filters={
        <>
          <ChoiceChip
            label={t('State')}
            value={state}
            options={STATUSES.map((one) => [one, statusText(one)])}
            onChange={filter('state')}
          />
          <ChoiceChip
            label={t('Automation')}
            value={automation}
            options={application.automations.map(({ code, name }) => [code, name])}
            onChange={filter('automation')}
          />
          <ChoiceChip
            label={t('Who')}
            value={user}
            options={[[me.userPid, t('Only mine')]]}
            onChange={filter('user')}
          />
        </>
      }
    >
      <Found
        query={found}
        isEmpty={rows.length === 0}
        none={
          <Blank
            title={isFiltered ? t('No run is like this') : t('No automation has run yet')}
            advice={t('What automations do appears here, step by step.')}
          />
        }
      >
        <LogTable label={t('Runs')} columns={columns(application)} rows={rows} keyOf={({ runPid }) => runPid} />
        <PageSteps
          page={pageNum}
          pages={Math.ceil((found.data?.total ?? 0) / PAGE_SIZE)}
          onGo={(next) => change({ page: String(next) })}
        />
      </Found>
    </LogScreen>
  );
}

function columns(application: Application): LogColumn<Run>[] {
  return [
    { label: t('Time'), cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      label: t('Automation'),
      cell: ({ runPid, automationCode }) => (
        <Link to="/operate/runs/$runPid" params={{ runPid }}>
          {automationName(application, automationCode)}
        </Link>
      ),
    },
    { label: t('State'), cell: ({ status }) => <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark> },
    { label: t('Begun by'), cell: ({ trigger, startedBy }) => `${startedBy.username} · ${triggerName(trigger)}` },
    { label: t('What happened'), cell: ({ error }) => error?.message ?? '', isMinor: true, isWide: true },
    {
      label: t('Took'),
      cell: ({ createdAt, finishedAt }) =>
        finishedAt === null ? '' : formatDuration(Date.parse(finishedAt) - Date.parse(createdAt)),
      isNumber: true,
      isMinor: true,
    },
  ];
}
