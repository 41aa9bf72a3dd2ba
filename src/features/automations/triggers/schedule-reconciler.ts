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
import type { ScheduleTrigger } from '../definition/automation-content.ts';
import { UTC } from '../../../foundation/time/time-zones.ts';
import { canBeDue } from '../../../foundation/expressions/cron.ts';
import { CLOCK_SKEW_MS, LATEST_FIRE_MS, SCHEDULES_EVERY_MS } from '../automations.limits.ts';
import { AutomationScheduleEntity } from '../runs/rows/automation-run.entity.ts';
import { ENVIRONMENTS } from '../../../foundation/config/environments.ts';
import { TenantEntity } from '../../../platform/auth/accounts/tenant.entity.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { newTraceId } from '../../../foundation/logging/trace.ts';
import { triggeredRun } from '../runs/new-run.ts';
import { insertRuns } from '../runs/rows/run-store.ts';
import type { RunSignaller } from '../runs/run-signaller.ts';

interface WantedSchedule {
  readonly automationCode: string;
  readonly timing: ScheduleTiming;
}

interface ScheduledRunsParts {
  readonly orm: PlatformOrm;
  readonly database: Database;
  readonly snapshots: SnapshotCache;
  readonly signaller: RunSignaller;
  readonly taskQueue: string;
}

/**
 * Starts the runs of an automation whose schedule is due: one for each tenant that is not suspended.
 * @param fireId the id of the schedule's workflow, which names the due time: each tenant gets one run for it.
 *   A workflow that was started by hand starts none at another time
 * @throws a transient fault
 */
export async function fireSchedule(
  { orm, database, snapshots, signaller, taskQueue }: ScheduledRunsParts,
  environment: string,
  code: string,
  fireId: string,
): Promise<void> {
  const metadata = await snapshots.current(environment);
  const automation = metadata.find(AUTOMATION, code);
  // The schedule is about to be deleted.
  if (automation?.content.trigger.type !== 'schedule' || automation.content.enabled === false) return;
  const { trigger } = automation.content;
  const due = [...zonesOf(trigger, metadata)].find((zone) =>
    isDueTime(trigger, fireId, scheduleId(taskQueue, environment, keyOf(code, trigger, zone)), zone),
  );
  if (due === undefined) return;
  const { tenants } = trigger;
  const filter = { status: 'active', ...(tenants && { id: { $in: tenants } }) } as const;
  const active = await orm.em.fork().find(TenantEntity, filter);
  const tenantRows = active.filter(({ id }) => !isLocal(trigger) || metadata.timeZoneOf(id) === due);
  const runs = tenantRows.map(({ id }) =>
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
  if (runs.length > 0) await signaller.signal(await insertRuns(database, runs));
}

/** Temporal appends the due time to the id of a schedule's workflow. */
function isDueTime(trigger: ScheduleTrigger, fireId: string, schedule: string, zone: string): boolean {
  const prefix = `${schedule}-workflow-`;
  const time = fireId.startsWith(prefix) ? new Date(fireId.slice(prefix.length)) : new Date(Number.NaN);
  const age = Date.now() - time.getTime();
  if (!(age >= -CLOCK_SKEW_MS && age <= LATEST_FIRE_MS)) return false;
  const { cron, everySeconds } = trigger;
  if (cron !== undefined) return canBeDue(cron, zone, time);
  return everySeconds !== undefined && time.getTime() % (everySeconds * 1_000) === 0;
}

/** Whether each tenant is on its own clock: the author has named none. */
function isLocal({ cron, timezone }: ScheduleTrigger): boolean {
  return cron !== undefined && timezone === undefined;
}

/** The zones in which a schedule is due: one that the author names, or those of its tenants. */
function zonesOf(trigger: ScheduleTrigger, metadata: Snapshot): ReadonlySet<string> {
  return isLocal(trigger) ? metadata.timeZonesOf(trigger.tenants) : new Set([trigger.timezone ?? UTC]);
}

/** The name of an automation's schedule in a zone. */
function keyOf(code: string, trigger: ScheduleTrigger, zone: string): string {
  return isLocal(trigger) && zone !== UTC ? `${code}@${zone}` : code;
}

function scheduleId(taskQueue: string, environment: string, code: string): string {
  return `automation:${taskQueue}:${environment}:${code}`;
}

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
  readonly #loop = new PollingLoop(SCHEDULES_EVERY_MS, () => this.reconcile());

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
    const wanted = new Map(
      [...snapshot.all(AUTOMATION).values()].flatMap((automation) => timingsOf(automation, snapshot)),
    );
    const em = this.#orm.em.fork();
    const scope = { taskQueue: this.#temporal.taskQueue, environment };
    const stored = new Map((await em.find(AutomationScheduleEntity, scope)).map((row) => [row.code, row]));
    for (const [code, { automationCode, timing }] of wanted) {
      const spec = JSON.stringify(timing);
      if (!all && stored.get(code)?.spec === spec) continue;
      const argument: FireAutomationInput = { environment, automationCode };
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
    return scheduleId(this.#temporal.taskQueue, environment, code);
  }
}

/** The schedules of an automation, by their names. */
function timingsOf({ code, content: { trigger, enabled } }: Automation, metadata: Snapshot) {
  if (trigger.type !== 'schedule' || enabled === false) return [];
  const { cron, everySeconds } = trigger;
  const everyMs = everySeconds === undefined ? undefined : everySeconds * 1_000;
  return [...zonesOf(trigger, metadata)].map((zone): [string, WantedSchedule] => {
    const timezone = isLocal(trigger) && zone === UTC ? undefined : zone;
    const timing = { ...(cron !== undefined && { cron, timezone }), ...(everyMs !== undefined && { everyMs }) };
    return [keyOf(code, trigger, zone), { automationCode: code, timing }];
  });
}
