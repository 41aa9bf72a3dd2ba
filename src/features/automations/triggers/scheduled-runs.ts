import { TenantEntity } from '../../../platform/auth/accounts/tenant.entity.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { newTraceId } from '../../../foundation/logging/trace.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { triggeredRun } from '../runs/new-run.ts';
import { insertRuns } from '../runs/rows/run-store.ts';
import type { RunSignaller } from '../runs/run-signaller.ts';
import { AUTOMATION } from '../definition/automation-type.ts';

/** Starts the runs of automations whose schedule is due: one for each tenant that is not suspended. */
export class ScheduledRuns {
  readonly #orm: PlatformOrm;
  readonly #database: Database;
  readonly #snapshots: SnapshotCache;
  readonly #signaller: RunSignaller;

  constructor(orm: PlatformOrm, database: Database, snapshots: SnapshotCache, signaller: RunSignaller) {
    this.#orm = orm;
    this.#database = database;
    this.#snapshots = snapshots;
    this.#signaller = signaller;
  }

  /** @param fireId names the due time: each tenant gets one run for it. @throws a transient fault */
  async fire(environment: string, code: string, fireId: string): Promise<void> {
    const metadata = await this.#snapshots.current(environment);
    const automation = metadata.find(AUTOMATION, code);
    // The schedule is about to be deleted.
    if (automation?.content.trigger.type !== 'schedule' || automation.content.enabled === false) return;
    const { tenants } = automation.content.trigger;
    const wanted = { status: 'active', ...(tenants && { id: { $in: tenants } }) } as const;
    const rows = await this.#orm.em.fork().find(TenantEntity, wanted);
    const runs = rows.map(({ id }) =>
      triggeredRun(
        automation,
        {
          environment,
          tenantId: id,
          userId: '0',
          userPid: 'AUTOMATION',
          username: `automation:${code}`,
          roles: [],
          trigger: 'schedule',
          triggerKey: fireId,
          traceId: newTraceId(),
        },
        metadata,
      ),
    );
    if (runs.length > 0) await this.#signaller.signal(await insertRuns(this.#database, runs));
  }
}
