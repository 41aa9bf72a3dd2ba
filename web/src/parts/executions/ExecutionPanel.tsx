import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { findModel, findPage, type Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { applicationQuery, queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { useStreams } from '../../app/use-stream.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { hasEnded } from '../activity/activity-query.ts';
import { statusText, toneOf } from '../activity/statuses.ts';
import { Facts } from '../operate/Facts.tsx';
import { Code, Folded } from '../operate/Folded.tsx';
import { Found } from '../operate/Found.tsx';
import { Moment } from '../operate/Moment.tsx';
import { SidePanel } from '../operate/SidePanel.tsx';
import { TraceLink } from '../operate/TraceLink.tsx';
import { WorkflowLink } from '../operate/WorkflowLink.tsx';
import { RECORD_STEPS } from '../runs/step-kinds.ts';
import { commandTitle } from './command-title.ts';
import { EXECUTIONS, executionQuery, type Execution } from './executions-query.ts';

interface ExecutionPanelProps {
  readonly pid: string;
  readonly onClose: () => void;
}

/** One execution: how it stands, what it has changed and told, and what went wrong. Live until its end. */
export function ExecutionPanel({ pid, onClose }: ExecutionPanelProps) {
  const found = useQuery(executionQuery(pid));
  const { data: execution } = found;
  const { data: application } = useSuspenseQuery(applicationQuery);
  const hear = useCallback(() => void queries.invalidateQueries({ queryKey: EXECUTIONS }), []);
  const isLive = execution !== undefined && !hasEnded(execution);
  useStreams(isLive ? [`/api/meta/commands/executions/${pid}/stream`] : [], hear);
  return (
    <SidePanel
      title={execution ? commandTitle(application, execution.commandCode) : t('Execution')}
      actions={execution && <ExecutionActions execution={execution} />}
      onClose={onClose}
    >
      <Found query={found}>{execution && <ExecutionView application={application} execution={execution} />}</Found>
    </SidePanel>
  );
}

interface ExecutionViewProps {
  readonly application: Application;
  readonly execution: Execution;
}

function ExecutionView({ application, execution }: ExecutionViewProps) {
  const { status, startedAt, finishedAt, traceId, workflowId, batchPid, error, result, changes, events } = execution;
  return (
    <>
      {error && <Problem title={error.message} advice={error.code} />}
      <Facts
        facts={[
          [
            t('State'),
            <StatusMark key="state" tone={toneOf(status)}>
              {statusText(status)}
            </StatusMark>,
          ],
          [t('Begun'), <Moment key="begun" at={startedAt} />],
          [t('Ended'), finishedAt === null ? null : <Moment key="ended" at={finishedAt} />],
          [
            t('Batch'),
            batchPid === null ? null : (
              <Link key="batch" to="/operate/executions" search={{ batch: batchPid }}>
                {t('All of its items')}
              </Link>
            ),
          ],
          [t('Trace'), <TraceLink key="trace" traceId={traceId} />],
          [t('Workflow'), <WorkflowLink key="workflow" id={workflowId} />],
          [t('Events'), events.map(({ eventType }) => eventType).join(', ')],
        ]}
      />
      {error?.data && (
        <Folded title={t('More about the error')}>
          <Code>{JSON.stringify(error.data, null, 2)}</Code>
        </Folded>
      )}
      {changes.map(({ modelCode, recordPid, action, changes: fields }) => (
        <Folded key={`${modelCode} ${recordPid} ${action}`} title={changeTitle(application, modelCode, action)}>
          <RecordLink application={application} modelCode={modelCode} pid={recordPid} />
          <Code>{JSON.stringify(fields, null, 2)}</Code>
        </Folded>
      ))}
      {result !== null && result !== undefined && (
        <Folded title={t('Result')}>
          <Code>{JSON.stringify(result, null, 2)}</Code>
        </Folded>
      )}
    </>
  );
}

function changeTitle(application: Application, modelCode: string, action: string): string {
  const done = RECORD_STEPS[action];
  return `${findModel(application, modelCode)?.name ?? modelCode} · ${done === undefined ? action : t(done)}`;
}

interface RecordLinkProps {
  readonly application: Application;
  readonly modelCode: string;
  readonly pid: string;
}

/** Leads to a record where a page has its model; else its id is all there is. */
function RecordLink({ application, modelCode, pid }: RecordLinkProps) {
  const page = findPage(application, modelCode);
  if (!page) return <code>{pid}</code>;
  return (
    <Link to="/pages/$pageKey/$pid" params={{ pageKey: page.pageKey, pid }} title={pid}>
      {t('Open the record')}
    </Link>
  );
}

function ExecutionActions({ execution: { pid, status } }: { readonly execution: Execution }) {
  const [isBusy, setBusy] = useState(false);
  async function act(work: () => Promise<unknown>) {
    setBusy(true);
    try {
      await work();
      await queries.invalidateQueries({ queryKey: EXECUTIONS });
    } catch (error) {
      say(shown(error).title);
    } finally {
      setBusy(false);
    }
  }
  if (status === 'RECEIVED' || status === 'RUNNING') {
    return (
      <Button
        disabled={isBusy}
        onClick={() => void act(() => ask('POST /api/meta/commands/executions/{pid}/cancel', { params: { pid } }))}
      >
        {t('Cancel')}
      </Button>
    );
  }
  if (status !== 'FAILED') return null;
  const retry = () => client.request('POST', `/api/meta/commands/executions/${pid}/retry`);
  return (
    <Button disabled={isBusy} onClick={() => void act(retry)}>
      {t('Try again')}
    </Button>
  );
}
