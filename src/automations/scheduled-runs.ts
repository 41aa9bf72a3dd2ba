import { TenantEntity } from '../auth/tenant.entity.ts';
import type { PlatformOrm } from '../database/orm.ts';
import type { Database } from '../database/pool.ts';
import { newTraceId } from '../logging/trace.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { triggeredRun } from './new-run.ts';
import { insertRuns } from './run-store.ts';
import type { RunWaker } from './run-waker.ts';

/** Begins the runs of automations whose schedule has come due: one for each tenant that is not suspended. */
export class ScheduledRuns {
  readonly #orm: PlatformOrm;
  readonly #database: Database;
  readonly #snapshots: SnapshotCache;
  readonly #waker: RunWaker;

  constructor(orm: PlatformOrm, database: Database, snapshots: SnapshotCache, waker: RunWaker) {
    this.#orm = orm;
    this.#database = database;
    this.#snapshots = snapshots;
    this.#waker = waker;
  }

  /** @param fireId names the time it was due at: each tenant gets one run for it. @throws a passing fault */
  async fire(environment: string, code: string, fireId: string): Promise<void> {
    const automation = (await this.#snapshots.current(environment)).automations.get(code);
    // Its schedule is about to be taken away.
    if (automation?.content.trigger.type !== 'schedule' || automation.content.enabled === false) return;
    const { tenants } = automation.content.trigger;
    const wanted = { status: 'active', ...(tenants && { id: { $in: tenants } }) } as const;
    const rows = await this.#orm.em.fork().find(TenantEntity, wanted);
    const runs = rows.map(({ id }) =>
      triggeredRun(automation, {
        environment,
        tenantId: id,
        userId: '0',
        userPid: 'AUTOMATION',
        username: `automation:${code}`,
        roles: [],
        trigger: 'schedule',
        triggerKey: fireId,
        traceId: newTraceId(),
      }),
    );
    if (runs.length > 0) await this.#waker.wake(await insertRuns(this.#database, runs));
  }
}
