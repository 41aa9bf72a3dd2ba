import type { Database } from '../../../../foundation/database/pool.ts';
import type { EventConsequences, TracedRun } from '../../../../platform/events/event-consequences.ts';
import { permissionCode } from '../../../../platform/metadata/permissions/permission-codes.ts';

/**
 * The runs of a trace, for who may run their automations. A trigger's key begins with the pid of its event.
 */
export function tracedRuns(database: Database): NonNullable<EventConsequences['runs']> {
  return async ({ traceId, eventPids, limit }, { tenantId, metadata, permissions }) => {
    const runs = await database.query<TracedRun>(
      `select r.pid as run_pid, r.automation_code, r.status, r.created_at, r.finished_at,
         case when r.trigger in ('event', 'command') then split_part(r.trigger_key, '#', 1) end as event_pid,
         array(select s.event_pid from platform.automation_step s
           where s.event_pid = any($4) and s.run_pid = r.pid) as sent_event_pids
       from platform.automation_run r where r.trace_id = $1 and r.tenant_id = $2 and r.environment = $3
       order by r.pid limit $5`,
      [traceId, tenantId, metadata.environment, eventPids, limit],
    );
    return runs.filter(({ automationCode }) => permissions.has(permissionCode.automationRun(automationCode)));
  };
}
