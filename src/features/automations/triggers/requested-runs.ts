import type { Transaction } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { AUTOMATION } from '../definition/automation-type.ts';
import { requestedRun } from '../runs/new-run.ts';
import type { NewRun } from '../runs/rows/run-store.ts';
import { originsOf } from './event-origin.ts';

/** The runs that steps of commands have asked for, in the order of the commands' events. */
export async function requestedRuns(
  transaction: Transaction,
  events: readonly OutboxEvent[],
  snapshots: SnapshotCache,
  logger: Logger,
): Promise<NewRun[]> {
  const asking = events.filter(({ runStarts }) => runStarts !== null);
  if (asking.length === 0) return [];
  const origins = await originsOf(transaction, asking);
  const runs: NewRun[] = [];
  for (const { pid, tenantId, environment, traceId, runStarts } of asking) {
    const metadata = await snapshots.current(environment);
    const cause = origins.get(pid);
    for (const start of runStarts ?? []) {
      const automation = metadata.find(AUTOMATION, start.automationCode);
      if (!automation || !cause) {
        logger.warn({ eventPid: pid, traceId, automation: start.automationCode }, 'a run could not be started');
        continue;
      }
      const { runPid: parentRunPid, depth, ...user } = cause;
      const origin = {
        ...user,
        tenantId,
        environment,
        traceId,
        parentRunPid,
        depth: depth === null ? 0 : depth + 1,
        trigger: 'command' as const,
        triggerKey: `${pid}#${start.stepId}`,
      };
      runs.push(requestedRun(automation, origin, start));
    }
  }
  return runs;
}
