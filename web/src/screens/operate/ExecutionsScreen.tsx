import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Application } from '../../app/application.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { statusText, toneOf } from '../../parts/activity/statuses.ts';
import { commandTitle } from '../../parts/executions/command-title.ts';
import { ExecutionPanel } from '../../parts/executions/ExecutionPanel.tsx';
import { EXECUTION_STATUSES, executionsQuery, type ListedExecution } from '../../parts/executions/executions-query.ts';
import { ChoiceChip } from '../../parts/operate/ChoiceChip.tsx';
import { formatDuration } from '../../parts/operate/duration.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { MoreRows } from '../../parts/operate/MoreRows.tsx';
import { timeOptions } from '../../parts/operate/since.ts';
import { useAddress } from '../../parts/operate/use-address.ts';
import { useSteps } from '../../parts/operate/use-steps.ts';
import { Blank } from '../../ui/Blank.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

/** Commands as they were carried out, batches among them. */
export function ExecutionsScreen() {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const [address, change] = useAddress();
  const { open, state, command, time, batch, user } = address;
  const found = useInfiniteQuery(executionsQuery(address));
  const rows = found.data?.pages.flatMap(({ records }) => records) ?? [];
  const isFiltered = [state, command, time, batch, user].some((one) => one !== undefined);
  useSteps(
    rows.map(({ pid }) => pid),
    open,
    (pid) => change({ open: pid }, { isReplacing: true }),
  );
  return (
    <LogScreen
      title={t('Executions')}
      filters={
        <>
          <ChoiceChip
            label={t('State')}
            value={state}
            options={EXECUTION_STATUSES.map((one) => [one, statusText(one)])}
            onChange={(next) => change({ state: next })}
          />
          <ChoiceChip
            label={t('Command')}
            value={command}
            options={application.commands.map(({ code, name }) => [code, name])}
            onChange={(next) => change({ command: next })}
          />
          <ChoiceChip
            label={t('Who')}
            value={user}
            options={[[me.userPid, t('Only mine')]]}
            onChange={(next) => change({ user: next })}
          />
          <ChoiceChip
            label={t('Time')}
            value={time}
            options={timeOptions()}
            onChange={(next) => change({ time: next })}
          />
          {batch !== undefined && (
            <ChoiceChip
              label={t('Batch')}
              value={batch}
              options={[[batch, t('one')]]}
              onChange={(next) => change({ batch: next })}
            />
          )}
        </>
      }
      panel={open !== undefined && <ExecutionPanel key={open} pid={open} onClose={() => change({ open: undefined })} />}
    >
      <Found
        query={found}
        isEmpty={rows.length === 0}
        none={
          <Blank
            title={isFiltered ? t('No execution is like this') : t('No command was executed yet')}
            advice={t('Each command that is carried out appears here.')}
          />
        }
      >
        <LogTable
          label={t('Executions')}
          columns={columns(application).filter(({ isMinor }) => open === undefined || isMinor !== true)}
          rows={rows}
          keyOf={({ pid }) => pid}
          openKey={open}
        />
        <MoreRows query={found} />
      </Found>
    </LogScreen>
  );
}

function columns(application: Application): LogColumn<ListedExecution>[] {
  return [
    { label: t('Time'), cell: ({ startedAt }) => <Moment at={startedAt} /> },
    {
      label: t('Command'),
      cell: ({ pid, commandCode }) => (
        <Link to="." search={(before) => ({ ...before, open: pid })}>
          {commandTitle(application, commandCode)}
        </Link>
      ),
    },
    { label: t('State'), cell: ({ status }) => <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark> },
    { label: t('Who'), cell: ({ username }) => username },
    { label: t('What happened'), cell: ({ error }) => error?.message ?? '', isMinor: true, isWide: true },
    {
      label: t('Took'),
      cell: ({ startedAt, finishedAt }) =>
        finishedAt === null ? '' : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)),
      isNumber: true,
      isMinor: true,
    },
  ];
}
