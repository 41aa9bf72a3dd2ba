import { DAY_MS } from '../durations.ts';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';

/** Due times of a schedule: by cron, or at an interval. */
export interface ScheduleTiming {
  readonly cron?: string;
  readonly everyMs?: number;
  readonly timezone?: string;
}

/** Says whose schedule it is. */
export interface ScheduleMemo {
  readonly installationId: string;
}

/** The schedules of a task queue. */
export class TemporalSchedules {
  readonly #taskQueue: string;
  readonly #call: <T>(ask: (client: Client) => Promise<T>) => Promise<T>;

  /** @param call throws SERVICE_UNAVAILABLE */
  constructor(taskQueue: string, call: <T>(ask: (client: Client) => Promise<T>) => Promise<T>) {
    this.#taskQueue = taskQueue;
    this.#call = call;
  }

  /**
   * Creates a daily schedule unless it exists. Ids of schedules are unique in a namespace.
   * @param pausedBecause creates it paused, with this note
   * @throws SERVICE_UNAVAILABLE
   */
  async createDaily(
    scheduleId: string,
    workflowType: string,
    memo: ScheduleMemo,
    pausedBecause?: string,
  ): Promise<void> {
    try {
      await this.#call((client) =>
        client.schedule.create({
          scheduleId,
          memo: { ...memo },
          ...(pausedBecause !== undefined && { state: { paused: true, note: pausedBecause } }),
          spec: { intervals: [{ every: DAY_MS }] },
          policies: { overlap: ScheduleOverlapPolicy.SKIP },
          action: { type: 'startWorkflow', workflowType, taskQueue: this.#taskQueue },
        }),
      );
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }

  /** @returns null if there is no such schedule @throws SERVICE_UNAVAILABLE */
  async memoOf(scheduleId: string): Promise<Partial<ScheduleMemo> | null> {
    try {
      const { memo } = await this.#call((client) => client.schedule.getHandle(scheduleId).describe());
      return memo ?? {};
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return null;
      throw error;
    }
  }

  /**
   * Creates or replaces a schedule. Due times during an outage of Temporal of more than a minute are skipped.
   * @throws SERVICE_UNAVAILABLE
   */
  async put(scheduleId: string, timing: ScheduleTiming, workflowType: string, argument: object): Promise<void> {
    const { cron, everyMs, timezone } = timing;
    const schedule: Omit<ScheduleOptions, 'scheduleId'> = {
      spec: {
        ...(cron !== undefined && { cronExpressions: [cron] }),
        ...(everyMs !== undefined && { intervals: [{ every: everyMs }] }),
        ...(timezone !== undefined && { timezone }),
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: { type: 'startWorkflow', workflowType, taskQueue: this.#taskQueue, args: [argument] },
    };
    await this.#call(async (client) => {
      try {
        await client.schedule.create({ scheduleId, ...schedule });
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
        await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...schedule, state }));
      }
    });
  }

  /** Deletes a schedule if it exists and belongs to this installation. @throws SERVICE_UNAVAILABLE */
  async delete(scheduleId: string): Promise<void> {
    try {
      await this.#call(async (client) => {
        const schedule = client.schedule.getHandle(scheduleId);
        const { action } = await schedule.describe();
        if (action.taskQueue === this.#taskQueue) await schedule.delete();
      });
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
}
