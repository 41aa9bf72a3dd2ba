import type { PlatformOrm } from '../database/orm.ts';
import type { Logger } from '../logging/logger.ts';
import type { Automation, Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { SharedStore } from '../redis/redis.ts';
import { Rounds } from '../temporal/rounds.ts';
import type { ScheduleTiming, TemporalGateway } from '../temporal/temporal-gateway.ts';
import { FIRE_AUTOMATION, type FireAutomationInput } from '../../workflows/contracts.ts';
import { AutomationScheduleEntity } from './automation-run.entity.ts';

const LOOK_EVERY_MS = 1_000;
const ENVIRONMENTS = ['dev', 'staging', 'prod'];

/**
 * Keeps Temporal's schedules in step with the automations of each environment, in every worker: at its start, and whenever
 * an environment's configuration has another version. Doing it twice, or on two nodes, changes nothing.
 */
export class ScheduleKeeper {
  readonly #orm: PlatformOrm;
  readonly #store: SharedStore;
  readonly #snapshots: SnapshotCache;
  readonly #temporal: TemporalGateway;
  readonly #logger: Logger;
  readonly #kept = new Map<string, string>();
  readonly #rounds = new Rounds(LOOK_EVERY_MS, () => this.look());

  constructor(
    orm: PlatformOrm,
    store: SharedStore,
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

  /** The first look is at once. */
  start(): void {
    void this.look().finally(() => this.#rounds.start());
  }

  stop(): void {
    this.#rounds.stop();
  }

  /** Never throws: what fails now is done by the next look. */
  async look(): Promise<void> {
    try {
      const versions = await this.#store.together(ENVIRONMENTS.map((code) => this.#snapshots.versionCommand(code)));
      for (const [index, environment] of ENVIRONMENTS.entries()) {
        const version = String(versions[index]);
        const isFirst = !this.#kept.has(environment);
        if (this.#kept.get(environment) === version) continue;
        await this.#reconcile(await this.#snapshots.current(environment), isFirst);
        this.#kept.set(environment, version);
      }
    } catch (error) {
      this.#logger.debug({ err: error }, 'the schedules of automations are looked after later');
    }
  }

  /** @param all whether Temporal may have lost what it was given: then it is given again */
  async #reconcile({ environment, automations }: Snapshot, all: boolean): Promise<void> {
    const wanted = new Map([...automations.values()].flatMap((each) => entryOf(each)));
    const em = this.#orm.em.fork();
    const ours = { taskQueue: this.#temporal.taskQueue, environment };
    const given = new Map((await em.find(AutomationScheduleEntity, ours)).map((row) => [row.code, row]));
    for (const [code, timing] of wanted) {
      const spec = JSON.stringify(timing);
      if (!all && given.get(code)?.spec === spec) continue;
      const argument: FireAutomationInput = { environment, automationCode: code };
      await this.#temporal.putSchedule(this.#scheduleId(environment, code), timing, FIRE_AUTOMATION, argument);
      await em.upsert(AutomationScheduleEntity, { ...ours, code, spec });
    }
    for (const code of given.keys()) {
      if (wanted.has(code)) continue;
      await this.#temporal.deleteSchedule(this.#scheduleId(environment, code));
      await em.nativeDelete(AutomationScheduleEntity, { ...ours, code });
    }
  }

  #scheduleId(environment: string, code: string): string {
    return `automation:${this.#temporal.taskQueue}:${environment}:${code}`;
  }
}

function entryOf({ code, content: { trigger, enabled } }: Automation): [string, ScheduleTiming][] {
  if (trigger.type !== 'schedule' || enabled === false) return [];
  const { cron, everySeconds, timezone } = trigger;
  const everyMs = everySeconds === undefined ? undefined : everySeconds * 1_000;
  return [[code, { ...(cron !== undefined && { cron }), ...(everyMs !== undefined && { everyMs }), timezone }]];
}
