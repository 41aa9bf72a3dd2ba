import type { Database, SqlRunner } from '../../../../foundation/database/pool.ts';
import { type Actor, personOf } from '../../../../platform/auth/requests/actor.ts';
import type { EventVisibility, ReadableEvent } from '../../../../platform/events/audience/event-visibility.ts';
import type { Definition } from '../../definition/definition.ts';
import { approvalStep } from '../../steps/approval.step.ts';
import { isStepOf } from '../../steps/step-kinds.ts';
import type { Definitions } from '../values/definitions.ts';
import { findRuns, type RunRow } from '../rows/run-store.ts';
import { eventOf } from '../values/run-event.ts';
import { stepsByIndex, STEP_COLUMNS, type StepRow } from '../rows/step-store.ts';

/** A step that waits for the decision of a person. */
interface WaitingApprovalRow {
  readonly runPid: string;
  readonly stepId: string;
  readonly step: string;
  readonly message: unknown;
  readonly since: string;
  readonly due: string | null;
}

/** The approvals that wait for a user, by a role or by pid, the oldest first. */
async function waitingApprovals(
  runner: SqlRunner,
  { metadata, tenantId, roles, userPid }: Actor,
  limit: number,
  offset: number,
): Promise<{ rows: WaitingApprovalRow[]; total: number }> {
  const where = `environment = $1 and tenant_id = $2 and type = 'approval' and status = 'WAITING'
    and (approver_role = any($3) or approver_user = $4)`;
  const values = [metadata.environment, tenantId, roles, userPid];
  const [rows, [counted]] = await Promise.all([
    runner.query<WaitingApprovalRow>(
      `select run_pid, step_id, key as step, output -> 'message' as message, started_at as since, due_at as due
       from platform.automation_step where ${where} order by ordinal limit $5 offset $6`,
      [...values, limit, offset],
    ),
    runner.query<{ total: number }>(
      `select count(*)::int as total from platform.automation_step where ${where}`,
      values,
    ),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** The steps of a run that wait for a decision. */
export function waitingApprovalsOf(runner: SqlRunner, runPid: string): Promise<StepRow[]> {
  return runner.query<StepRow>(
    `select ${STEP_COLUMNS} from platform.automation_step
     where ${stepsByIndex('open')} and not settled and type = 'approval' and status = 'WAITING' order by ordinal`,
    [runPid],
  );
}

/** Whether a user is, or was, an approver of a step of a run. */
export async function isApproverOf(runner: SqlRunner, runPid: string, { roles, userPid }: Actor): Promise<boolean> {
  const [row] = await runner.query<{ found: boolean }>(
    `select exists (select 1 from platform.automation_step where run_pid = $1 and type = 'approval'
       and (approver_role = any($2) or approver_user = $3)) as found`,
    [runPid, roles, userPid],
  );
  return row?.found ?? false;
}

/** A step that waits for an approver's decision. */
interface WaitingApproval {
  readonly runPid: string;
  readonly automationCode: string;
  /** Its key. */
  readonly step: string;
  readonly message: unknown;
  /** The record that the run is about, where the approver may read it. */
  readonly record: { readonly modelCode: string; readonly pid: string } | null;
  readonly since: string;
  readonly due: string | null;
  /** False for the person who started the run, where another one must decide. */
  readonly mayDecide: boolean;
}

export interface WaitingApprovalsParts {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly visibility: EventVisibility;
}

/** The approvals that a user may decide, oldest first. Being an approver is the permission. */
export async function waitingApprovalsFor(
  { database, definitions, visibility }: WaitingApprovalsParts,
  actor: Actor,
  limit: number,
  offset: number,
): Promise<{ approvals: readonly WaitingApproval[]; total: number }> {
  const { rows, total } = await waitingApprovals(database, actor, limit, offset);
  const runPids = rows.map(({ runPid }) => runPid);
  const runs = new Map((await findRuns(database, runPids)).map((run) => [run.pid, run]));
  const waiting = await Promise.all(
    rows.flatMap((row) => {
      const run = runs.get(row.runPid);
      return run ? [definitions.of(run).then((definition) => ({ row, run, definition }))] : [];
    }),
  );
  const records = waiting.map(({ run, definition }) => recordOf(run, definition));
  const questions = records.flatMap((event) => (event ? [{ event, reader: actor }] : []));
  const bodies = await visibility.visibleBodies((work) => database.transaction(work), questions);
  const readable = new Set(questions.filter((_, index) => bodies[index]).map(({ event }) => event));
  const approvals = waiting.map(({ row: { stepId, ...row }, run, definition }, index): WaitingApproval => {
    const record = records[index];
    const { step } = definition.step(stepId);
    const needsOther = isStepOf(approvalStep, step) && step.fourEyes === true;
    return {
      ...row,
      automationCode: run.automationCode,
      record: record?.recordPid && readable.has(record) ? { modelCode: record.modelCode, pid: record.recordPid } : null,
      mayDecide: !needsOther || personOf(run) !== personOf(actor),
    };
  });
  return { approvals, total };
}

/**
 * The record of the event that started the run, or of its first input that names one, as the rule of events
 * reads it.
 */
function recordOf(run: RunRow, { content }: Definition): ReadableEvent | null {
  const event = eventOf(run.event);
  if (event) return event;
  for (const { code, type, target } of content.input ?? []) {
    const pid = run.input[code];
    if (type === 'relation' && target !== undefined && typeof pid === 'string') {
      return { eventType: 'record.updated', commandCode: '', modelCode: target, recordPid: pid, body: '{}' };
    }
  }
  return null;
}
