import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { Failure } from '../../cli/outcome.mjs';
import type { Config } from '../../src/foundation/config/config.ts';
import { purgeScheduleId } from '../../workflows/contracts.ts';

/** Temporal removes workflows, and shows that, some time after it was asked to. */
const [LOOK_EVERY_MS, LOOKS] = [500, 240];
const DELETED_AT_ONCE = 20;

/** The schedules and workflows of an installation, on the task queues that are its own. */
export class TemporalPart {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #marker: string;
  readonly #queues: readonly string[];

  private constructor(client: Client, namespace: string, marker: string, queues: readonly string[]) {
    this.#client = client;
    this.#namespace = namespace;
    this.#marker = marker;
    this.#queues = queues;
  }

  /**
   * @param noted further task queues that it has had
   * @throws Failure where Temporal is away, or TEMPORAL_TASK_QUEUE is that of another installation
   */
  static async connect({ temporal }: Config, id: string, noted: readonly string[]): Promise<TemporalPart> {
    const { address, namespace, taskQueue } = temporal;
    const connection = await Connection.connect({ address }).catch((error: unknown) => {
      throw new Failure(`Temporal at ${address} cannot be reached: ${(error as Error).message}`);
    });
    const client = new Client({ connection, namespace });
    const own = `keelson-${id}`;
    const queues = [own];
    for (const queue of new Set([...noted, ...(taskQueue === null ? [] : [taskQueue])])) {
      if (queue === own) continue;
      const owner = await ownerOf(client, queue);
      if (owner !== null && owner !== id && queue === taskQueue)
        throw new Failure(`The task queue ${queue} belongs to the installation ${owner}: unset TEMPORAL_TASK_QUEUE`);
      // One without a mark has been removed before, or was never used.
      if (owner === id) queues.push(queue);
    }
    return new TemporalPart(client, namespace, `installation:${id}`, queues);
  }

  async counts(): Promise<(readonly [string, number])[]> {
    const workflows = await Promise.all(this.#queues.map((queue) => this.#countIn(queue)));
    return [
      ['schedules in Temporal', (await this.#schedules()).length],
      ['workflows in Temporal', workflows.reduce((sum, count) => sum + count, 0)],
    ];
  }

  /** Schedules first, that nothing begins anew; the mark of each task queue last, by which it is known. */
  async remove(): Promise<void> {
    const marks = new Set(this.#queues.map(purgeScheduleId));
    const schedules = await this.#schedules();
    for (const id of schedules) if (!marks.has(id)) await this.#deleteSchedule(id);
    for (const queue of this.#queues) await this.#deleteWorkflows(queue);
    for (const id of schedules) if (marks.has(id)) await this.#deleteSchedule(id);
  }

  close(): void {
    void this.#client.connection.close();
  }

  /** Their ids name the task queue, but for that of the installation. */
  async #schedules(): Promise<string[]> {
    const names = this.#queues.flatMap((queue) => [purgeScheduleId(queue), `automation:${queue}:`]);
    const found: string[] = [];
    for await (const { scheduleId: id } of this.#client.schedule.list()) {
      const isOwn =
        id === this.#marker || names.some((name) => id === name || (name.endsWith(':') && id.startsWith(name)));
      if (isOwn) found.push(id);
    }
    return found;
  }

  async #deleteSchedule(id: string): Promise<void> {
    await this.#client.schedule
      .getHandle(id)
      .delete()
      .catch((error: unknown) => {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      });
  }

  /** @throws Failure where some are still there after two minutes */
  async #deleteWorkflows(queue: string): Promise<void> {
    for (let look = 0; look < LOOKS; look += 1) {
      let batch: Promise<void>[] = [];
      let count = 0;
      for await (const { workflowId, runId } of this.#client.workflow.list({ query: queryOf(queue) })) {
        count += 1;
        batch.push(this.#deleteWorkflow(workflowId, runId));
        if (batch.length < DELETED_AT_ONCE) continue;
        await Promise.all(batch);
        batch = [];
      }
      await Promise.all(batch);
      if (count === 0) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Failure(`Temporal still shows workflows of ${queue}: try again later`);
  }

  /** Ends it where it runs. */
  async #deleteWorkflow(workflowId: string, runId: string): Promise<void> {
    const order = { namespace: this.#namespace, workflowExecution: { workflowId, runId } };
    await this.#client.workflowService.deleteWorkflowExecution(order).catch((error: unknown) => {
      // gRPC NOT_FOUND: it has been deleted before, and the list does not know yet.
      if ((error as { code?: unknown }).code !== 5 && !(error instanceof WorkflowNotFoundError)) throw error;
    });
  }

  async #countIn(queue: string): Promise<number> {
    return (await this.#client.workflow.count(queryOf(queue))).count;
  }
}

function queryOf(queue: string): string {
  return `TaskQueue = ${JSON.stringify(queue)}`;
}

/** The installation that has marked a task queue as its own; null for none. */
async function ownerOf(client: Client, queue: string): Promise<string | null> {
  try {
    const { memo } = await client.schedule.getHandle(purgeScheduleId(queue)).describe();
    return typeof memo?.installationId === 'string' ? memo.installationId : null;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}
