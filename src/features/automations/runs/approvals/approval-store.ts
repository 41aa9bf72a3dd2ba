import type { SqlRunner } from '../../../../foundation/database/pool.ts';
import type { Actor } from '../../../../platform/auth/requests/actor.ts';
import { inIndex, STEP_COLUMNS, type StepRow } from '../rows/step-store.ts';

/** A step that waits for the decision of a person. */
export interface WaitingApprovalRow {
  readonly runPid: string;
  readonly stepId: string;
  readonly step: string;
  readonly message: unknown;
  readonly since: string;
  readonly due: string | null;
}

/** The approvals that a user is asked for, by a role or by pid, the oldest first. */
export async function waitingApprovals(
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
     where ${inIndex('open')} and not settled and type = 'approval' and status = 'WAITING' order by ordinal`,
    [runPid],
  );
}

/** Whether a user is, or was, asked for an approval in a run. */
export async function isApproverOf(runner: SqlRunner, runPid: string, { roles, userPid }: Actor): Promise<boolean> {
  const [row] = await runner.query<{ found: boolean }>(
    `select exists (select 1 from platform.automation_step where run_pid = $1 and type = 'approval'
       and (approver_role = any($2) or approver_user = $3)) as found`,
    [runPid, roles, userPid],
  );
  return row?.found ?? false;
}
