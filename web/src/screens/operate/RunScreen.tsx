import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { applicationQuery, meQuery, queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { useStreams } from '../../app/use-stream.ts';
import { hasEnded } from '../../parts/activity/activity-query.ts';
import { statusText, toneOf } from '../../parts/activity/statuses.ts';
import { WAITING, waitingQuery } from '../../parts/approvals/approvals-query.ts';
import { RunApprovalCard } from '../../parts/approvals/RunApprovalCard.tsx';
import { Facts } from '../../parts/operate/Facts.tsx';
import { Code, Folded } from '../../parts/operate/Folded.tsx';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { TraceLink } from '../../parts/operate/TraceLink.tsx';
import { WorkflowLink } from '../../parts/operate/WorkflowLink.tsx';
import { automationName } from '../../parts/runs/automation-name.ts';
import { runQuery, type RunWithSteps, type Step } from '../../parts/runs/run-query.ts';
import { RUNS } from '../../parts/runs/runs-query.ts';
import { Timeline } from '../../parts/runs/Timeline.tsx';
import { triggerName } from '../../parts/runs/trigger-name.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './RunScreen.module.css';

/** A run, live: what it waits for and who can end the wait, then its steps on a time axis. */
export function RunScreen() {
  const { runPid } = useParams({ from: '/operate/runs/$runPid' });
  const { data: application } = useSuspenseQuery(applicationQuery);
  const found = useQuery(runQuery(runPid));
  const { data: run } = found;
  const hear = useCallback(() => {
    void queries.invalidateQueries({ queryKey: RUNS });
    void queries.invalidateQueries({ queryKey: WAITING });
  }, []);
  useStreams(run && !hasEnded(run) ? [`/api/automations/runs/${runPid}/stream`] : [], hear);
  return (
    <LogScreen
      title={run ? automationName(application, run.automationCode) : t('Run')}
      actions={run && <RunActions run={run} />}
    >
      <Found query={found}>
        {run && (
          <div className={styles.run}>
            <WaitsFor application={application} run={run} />
            {run.error && <Problem title={run.error.message} advice={run.error.code} />}
            <RunFacts run={run} />
            <Timeline run={run} />
            {run.input && Object.keys(run.input).length > 0 && (
              <Folded title={t('Input')}>
                <Code>{JSON.stringify(run.input, null, 2)}</Code>
              </Folded>
            )}
          </div>
        )}
      </Found>
    </LogScreen>
  );
}

function RunFacts({ run }: { readonly run: RunWithSteps }) {
  const { status, trigger, startedBy, createdAt, finishedAt, version, traceId, runPid, parentRunPid } = run;
  return (
    <Facts
      facts={[
        [
          t('State'),
          <StatusMark key="state" tone={toneOf(status)}>
            {statusText(status)}
          </StatusMark>,
        ],
        [t('Begun by'), `${startedBy.username} · ${triggerName(trigger)}`],
        [t('Begun'), <Moment key="begun" at={createdAt} />],
        [t('Ended'), finishedAt === null ? null : <Moment key="ended" at={finishedAt} />],
        [t('Version'), version],
        [
          t('Belongs to'),
          parentRunPid === null ? null : (
            <Link key="parent" to="/operate/runs/$runPid" params={{ runPid: parentRunPid }}>
              {t('another run')}
            </Link>
          ),
        ],
        [t('Trace'), <TraceLink key="trace" traceId={traceId} />],
        [t('Workflow'), <WorkflowLink key="workflow" id={`automation:${runPid}`} />],
      ]}
    />
  );
}

interface WaitsForProps {
  readonly application: Application;
  readonly run: RunWithSteps;
}

/** What holds it up, and who can end that. */
function WaitsFor({ application, run }: WaitsForProps) {
  const { data: me } = useSuspenseQuery(meQuery);
  const waiting = run.steps.filter(({ status }) => status === 'WAITING');
  const { data } = useQuery({ ...waitingQuery(me), enabled: waiting.length > 0 });
  if (waiting.length === 0) return null;
  const mine = (data?.runs ?? []).filter(({ runPid }) => runPid === run.runPid);
  const others = waiting.filter(({ key }) => !mine.some(({ step }) => step === key));
  return (
    <section className={styles.waits} aria-label={t('What it waits for')}>
      <h2>{t('What it waits for')}</h2>
      {mine.map((approval) => (
        <RunApprovalCard key={approval.step} application={application} approval={approval} />
      ))}
      {others.map((step) => (
        <p key={step.key}>
          <StatusMark tone="waiting">{step.key}</StatusMark> {waitText(step)}{' '}
          {step.dueAt !== undefined && <Moment at={step.dueAt} />}
        </p>
      ))}
    </section>
  );
}

function waitText({ type, approvers, dueAt }: Step): string {
  if (type === 'approval') {
    const who = approvers?.user ?? approvers?.role ?? '';
    return dueAt === undefined
      ? t('waits for {who} to decide.', { who })
      : t('waits for {who} to decide, at most until', { who });
  }
  if (type === 'waitForEvent')
    return dueAt === undefined ? t('waits for an event.') : t('waits for an event, at most until');
  return dueAt === undefined ? t('waits.') : t('goes on');
}

function RunActions({ run }: { readonly run: RunWithSteps }) {
  const [isBusy, setBusy] = useState(false);
  const params = { runPid: run.runPid };
  async function act(work: () => Promise<unknown>) {
    setBusy(true);
    try {
      await work();
      await queries.invalidateQueries({ queryKey: RUNS });
    } catch (error) {
      say(shown(error).title);
    } finally {
      setBusy(false);
    }
  }
  if (run.status === 'FAILED') {
    return (
      <Button
        look="primary"
        disabled={isBusy}
        onClick={() => void act(() => ask('POST /api/automations/runs/{runPid}/retry', { params }))}
      >
        {t('Go on where it failed')}
      </Button>
    );
  }
  if (hasEnded(run)) return null;
  return (
    <Button
      disabled={isBusy}
      onClick={() => void act(() => ask('POST /api/automations/runs/{runPid}/cancel', { params, body: {} }))}
    >
      {t('End it, and undo what was done')}
    </Button>
  );
}
