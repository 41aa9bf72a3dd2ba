import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { type Automation, AUTOMATION } from '../definition/automation-type.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import type { ScheduleTiming } from '../../../foundation/temporal/temporal-schedules.ts';
import { FIRE_AUTOMATION, type FireAutomationInput } from '../../../../workflows/contracts.ts';
import { AutomationScheduleEntity } from '../runs/rows/automation-run.entity.ts';
import { ENVIRONMENTS } from '../../../foundation/config/environments.ts';

const RECONCILE_EVERY_MS = 1_000;

/**
 * Reconciles Temporal's schedules with the automations of each environment, in every worker: at its start,
 * and on every new version of an environment's configuration. Idempotent.
 */
export class ScheduleReconciler {
  readonly #orm: PlatformOrm;
  readonly #store: RedisStore;
  readonly #snapshots: SnapshotCache;
  readonly #temporal: TemporalGateway;
  readonly #logger: Logger;
  readonly #reconciledVersions = new Map<string, string>();
  readonly #loop = new PollingLoop(RECONCILE_EVERY_MS, () => this.reconcile());

  constructor(
    orm: PlatformOrm,
    store: RedisStore,
    snapshots: SnapshotCache,
    temporal: TemporalGateway,
    logger: Logger,
  ) {
    this.#orm = orm;
    this.#store = store;
    this.#snapshots = snapshots;
    this.#temporal = temporal;
    this.#logger = logger;
  }

  /** Reconciles at once, then periodically. */
  start(): void {
    void this.reconcile().finally(() => this.#loop.start());
  }

  stop(): void {
    this.#loop.stop();
  }

  /** One round. Never throws: a fault is left to the next round. */
  async reconcile(): Promise<void> {
    try {
      const versions = await this.#store.pipeline(ENVIRONMENTS.map((code) => this.#snapshots.versionCommand(code)));
      for (const [index, environment] of ENVIRONMENTS.entries()) {
        const version = String(versions[index]);
        const isFirst = !this.#reconciledVersions.has(environment);
        if (this.#reconciledVersions.get(environment) === version) continue;
        await this.#reconcileEnvironment(await this.#snapshots.current(environment), isFirst);
        this.#reconciledVersions.set(environment, version);
      }
    } catch (error) {
      this.#logger.debug({ err: error }, 'the schedules of automations are reconciled later');
    }
  }

  /** Puts all schedules again. @throws SERVICE_UNAVAILABLE */
  async restore(): Promise<void> {
    for (const environment of ENVIRONMENTS) {
      await this.#reconcileEnvironment(await this.#snapshots.current(environment), true);
    }
  }

  /** @param all whether unchanged schedules are put as well, because Temporal may have lost them */
  async #reconcileEnvironment(snapshot: Snapshot, all: boolean): Promise<void> {
    const { environment } = snapshot;
    const wanted = new Map([...snapshot.all(AUTOMATION).values()].flatMap(timingOf));
    const em = this.#orm.em.fork();
    const scope = { taskQueue: this.#temporal.taskQueue, environment };
    const stored = new Map((await em.find(AutomationScheduleEntity, scope)).map((row) => [row.code, row]));
    for (const [code, timing] of wanted) {
      const spec = JSON.stringify(timing);
      if (!all && stored.get(code)?.spec === spec) continue;
      const argument: FireAutomationInput = { environment, automationCode: code };
      await this.#temporal.schedules.put(this.#scheduleId(environment, code), timing, FIRE_AUTOMATION, argument);
      await em.upsert(AutomationScheduleEntity, { ...scope, code, spec });
    }
    for (const code of stored.keys()) {
      if (wanted.has(code)) continue;
      await this.#temporal.schedules.delete(this.#scheduleId(environment, code));
      await em.nativeDelete(AutomationScheduleEntity, { ...scope, code });
    }
  }

  #scheduleId(environment: string, code: string): string {
    return `automation:${this.#temporal.taskQueue}:${environment}:${code}`;
  }
}

function timingOf({ code, content: { trigger, enabled } }: Automation): [string, ScheduleTiming][] {
  if (trigger.type !== 'schedule' || enabled === false) return [];
  const { cron, everySeconds, timezone } = trigger;
  const everyMs = everySeconds === undefined ? undefined : everySeconds * 1_000;
  return [[code, { ...(cron !== undefined && { cron }), ...(everyMs !== undefined && { everyMs }), timezone }]];
}
