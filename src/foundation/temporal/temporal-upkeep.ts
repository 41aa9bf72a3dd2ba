import { PURGE, purgeScheduleId } from '../../../workflows/contracts.ts';
import { PollingLoop } from '../jobs/polling-loop.ts';
import type { Logger } from '../logging/logger.ts';
import type { TemporalGateway } from './temporal-gateway.ts';
import { UPKEEP_EVERY_MS } from '../foundation.limits.ts';

/** Starts again what Temporal has lost. Must be idempotent: several workers may notice at once. */
export type Restore = () => Promise<unknown>;

/** The task queue is in use by another installation, whose tasks must not be taken. */
class ForeignTaskQueueError extends Error {}

/** Shown in the Web UI. */
const MARKER_NOTE = 'Never runs. Without it, workers start again what this installation has under way.';

/**
 * What Temporal must have for this installation: its search attributes, the schedule of the daily purge, and
 * a paused schedule as a marker. A missing marker means that Temporal is new or has lost its data. Then
 * everything that waits there is started again, before the marker is created, so that another worker takes
 * over from one that dies in between.
 */
export class TemporalUpkeep {
  readonly #temporal: TemporalGateway;
  readonly #installationId: string;
  readonly #restores: readonly Restore[];
  readonly #logger: Logger;
  readonly #loop = new PollingLoop(UPKEEP_EVERY_MS, () => this.checkAndLog());

  constructor(temporal: TemporalGateway, installationId: string, restores: readonly Restore[], logger: Logger) {
    this.#temporal = temporal;
    this.#installationId = installationId;
    this.#restores = restores;
    this.#logger = logger;
  }

  start(): void {
    void this.checkAndLog().finally(() => this.#loop.start());
  }

  stop(): void {
    this.#loop.stop();
  }

  /** One round. Never throws: what fails now is tried again by the next round. */
  async checkAndLog(): Promise<void> {
    try {
      await this.#check();
    } catch (error) {
      this.#logger.warn({ err: error }, 'Temporal could not be checked; it is tried again');
    }
  }

  /**
   * Refuses to work for another installation's task queue. While Temporal is away, this is left to a later
   * start.
   * @throws ForeignTaskQueueError
   */
  async requireOwnTaskQueue(): Promise<void> {
    const { taskQueue } = this.#temporal;
    const memo = await this.#temporal.schedules.memoOf(purgeScheduleId(taskQueue)).catch(() => null);
    const owner = memo?.installationId;
    if (owner === undefined || owner === this.#installationId) return;
    throw new ForeignTaskQueueError(
      `the task queue ${taskQueue} belongs to the installation ${owner}: set TEMPORAL_TASK_QUEUE to another name, ` +
        'or leave it unset',
    );
  }

  async #check(): Promise<void> {
    const { schedules, taskQueue } = this.#temporal;
    const memo = { installationId: this.#installationId };
    if ((await schedules.memoOf(purgeScheduleId(taskQueue))) === null) {
      await schedules.createDaily(purgeScheduleId(taskQueue), PURGE, memo);
    }
    const marker = `installation:${this.#installationId}`;
    if ((await schedules.memoOf(marker)) !== null) return;
    await this.#temporal.registerSearchAttributes();
    for (const restore of this.#restores) await restore();
    await schedules.createDaily(marker, PURGE, memo, MARKER_NOTE);
    this.#logger.info({ marker }, 'Temporal knew nothing of this installation: what was under way is started again');
  }
}
