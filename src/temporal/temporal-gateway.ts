import {
  Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type ConnectionLike,
  type ScheduleOptions,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
  type WorkflowIdReusePolicy,
} from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';
import { ApplicationError, unavailable } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';
import { Outage } from './outage.ts';

type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number];

export interface StartOptions {
  readonly workflowId: string;
  readonly workflowIdReusePolicy?: WorkflowIdReusePolicy;
  readonly args: unknown[];
  readonly memo?: Record<string, unknown>;
  readonly attributes: Partial<Record<SearchAttribute, string>>;
}

/** When a schedule comes due: by cron, or every so often. */
export interface ScheduleTiming {
  readonly cron?: string;
  readonly everyMs?: number;
  readonly timezone?: string;
}

/** How long a request waits for Temporal before it answers 503. */
const START_TIMEOUT_MS = 3_000;
/** How long a request waits for an update's outcome: below what proxies grant. */
const UPDATE_TIMEOUT_MS = 25_000;
const RECONNECT_DELAY_MS = 1_000;
/** How long a server that was away may take to show that it is back. */
const PROBE_TIMEOUT_MS = 1_000;

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const KEYS = Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, keyword(name)])) as Record<
  SearchAttribute,
  ReturnType<typeof keyword>
>;

/** The operator API's number for the type Keyword. */
const INDEXED_VALUE_TYPE_KEYWORD = 2;

/** gRPC statuses of a server that is away, restarting or overloaded. */
const AWAY = new Set([1, 4, 8, 14]);
/** gRPC statuses of a server whose operator API is not for us: somebody else has added the search attributes. */
const OPERATORS_ONLY = new Set([7, 12]);

/** The program's only client of Temporal. It exists before the connection does: reads work without Temporal. */
export class TemporalGateway {
  readonly #namespace: string;
  readonly #taskQueue: string;
  readonly #eager: boolean;
  readonly #logger: Logger;
  #client: Client | null = null;
  #closed = false;
  readonly #outage = new Outage(() => this.#probe());

  /** @param eager whether this process also runs a worker on the same connection, so that a start hands it the task */
  constructor(options: { namespace: string; taskQueue: string; eager: boolean }, logger: Logger) {
    this.#namespace = options.namespace;
    this.#taskQueue = options.taskQueue;
    this.#eager = options.eager;
    this.#logger = logger;
  }

  /** Connects, trying again for as long as it takes, and makes sure that the search attributes exist. */
  async connect<C extends ConnectionLike>(open: () => Promise<C>): Promise<C | null> {
    for (let attempt = 1; !this.#closed; attempt += 1) {
      let connection: C | undefined;
      try {
        connection = await open();
        const client = new Client({ connection, namespace: this.#namespace });
        await this.#registerSearchAttributes(client);
        this.#client = client;
        this.#logger.info('temporal connected');
        return connection;
      } catch (error) {
        if (attempt === 1) this.#logger.warn({ err: error }, 'temporal does not answer; commands wait for it');
        await connection?.close().catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
      }
    }
    return null;
  }

  /**
   * @throws SERVICE_UNAVAILABLE when Temporal does not answer in time (the workflow may have started all the same);
   * WorkflowExecutionAlreadyStartedError
   */
  async start(workflowType: string, { attributes, ...options }: StartOptions): Promise<void> {
    const pairs = Object.entries(attributes) as [SearchAttribute, string][];
    await this.#call((client) =>
      client.workflow.start(workflowType, {
        ...options,
        taskQueue: this.#taskQueue,
        requestEagerStart: this.#eager,
        typedSearchAttributes: new TypedSearchAttributes(pairs.map(([name, value]) => ({ key: KEYS[name], value }))),
      }),
    );
  }

  /**
   * Sends an update and waits for its outcome. The same id is carried out once, however often it is sent.
   * @throws SERVICE_UNAVAILABLE; the update's failure; WorkflowNotFoundError
   */
  async update(workflowId: string, name: string, updateId: string, argument: unknown): Promise<void> {
    const ask = (client: Client): Promise<unknown> =>
      client.workflow.getHandle(workflowId).executeUpdate<unknown, [unknown]>(name, { updateId, args: [argument] });
    await this.#call(ask, UPDATE_TIMEOUT_MS);
  }

  /** @throws SERVICE_UNAVAILABLE; WorkflowNotFoundError */
  async signal(workflowId: string, name: string, argument: unknown): Promise<void> {
    await this.#call((client) => client.workflow.getHandle(workflowId).signal<[unknown]>(name, argument));
  }

  /** Starts a workflow that most likely is not there yet; one that is gets the signal. @throws SERVICE_UNAVAILABLE */
  async startOrSignal(workflowType: string, options: StartOptions, signal: string): Promise<void> {
    try {
      await this.start(workflowType, options);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.signal(options.workflowId, signal, null);
    }
  }

  /** Signals a workflow that most likely is there already; one that is not is started. @throws SERVICE_UNAVAILABLE */
  async signalOrStart(workflowType: string, options: StartOptions, signal: string): Promise<void> {
    try {
      await this.signal(options.workflowId, signal, null);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await this.start(workflowType, options);
    }
  }

  /** @throws SERVICE_UNAVAILABLE; WorkflowNotFoundError */
  describe(workflowId: string): Promise<WorkflowExecutionDescription> {
    return this.#call((client) => client.workflow.getHandle(workflowId).describe());
  }

  /**
   * Makes sure that a workflow is started every so often. Does nothing where the schedule exists already.
   * @throws SERVICE_UNAVAILABLE
   */
  async ensureSchedule(scheduleId: string, workflowType: string, everyMs: number): Promise<void> {
    try {
      await this.#call((client) =>
        client.schedule.create({
          scheduleId,
          spec: { intervals: [{ every: everyMs }] },
          policies: { overlap: ScheduleOverlapPolicy.SKIP },
          action: { type: 'startWorkflow', workflowType, taskQueue: this.#taskQueue },
        }),
      );
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }

  /**
   * Makes sure that a schedule is as described, whether it exists or not. What came due while Temporal was away for longer
   * than a minute is left out.
   * @throws SERVICE_UNAVAILABLE
   */
  async putSchedule(scheduleId: string, timing: ScheduleTiming, workflowType: string, argument: object): Promise<void> {
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

  /** Takes a schedule away, if there is one. @throws SERVICE_UNAVAILABLE */
  async deleteSchedule(scheduleId: string): Promise<void> {
    try {
      await this.#call((client) => client.schedule.getHandle(scheduleId).delete());
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }

  /** Names what belongs to this installation, where several share a namespace. */
  get taskQueue(): string {
    return this.#taskQueue;
  }

  /** Whether Temporal answers at all. */
  async isReachable(): Promise<boolean> {
    return !this.#outage.isOn && (await this.#probe(START_TIMEOUT_MS));
  }

  close(): void {
    this.#closed = true;
    this.#outage.close();
    this.#client = null;
  }

  async #probe(timeoutMs = PROBE_TIMEOUT_MS): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    return within(client, timeoutMs, () => client.workflowService.getSystemInfo({})).then(
      () => true,
      () => false,
    );
  }

  /** While Temporal is known to be away, fails at once. */
  async #call<T>(ask: (client: Client) => Promise<T>, timeoutMs = START_TIMEOUT_MS): Promise<T> {
    const client = this.#client;
    if (!client || this.#outage.isOn) throw unavailable('temporal');
    try {
      return await within(client, timeoutMs, () => ask(client));
    } catch (error) {
      if (!(error instanceof NoAnswer) && !isAway(error)) throw error;
      this.#outage.begin();
      throw unavailable('temporal', error);
    }
  }

  /** A server that was already there may not know our attributes, and refuses workflows that carry unknown ones. */
  async #registerSearchAttributes(client: Client): Promise<void> {
    const { operatorService } = client.connection as unknown as {
      operatorService?: {
        listSearchAttributes(request: object): Promise<{ customAttributes?: Record<string, unknown> | null }>;
        addSearchAttributes(request: object): Promise<unknown>;
      };
    };
    if (!operatorService) return;
    try {
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace: this.#namespace });
      const missing = SEARCH_ATTRIBUTES.filter((name) => !customAttributes?.[name]);
      if (missing.length === 0) return;
      await operatorService.addSearchAttributes({
        namespace: this.#namespace,
        searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
      });
    } catch (error) {
      if (!hasStatus(error, OPERATORS_ONLY)) throw error;
      this.#logger.warn({ attributes: SEARCH_ATTRIBUTES }, 'temporal lets only operators add search attributes');
    }
  }
}

/** The server said nothing for as long as the caller could wait. */
class NoAnswer extends Error {}

async function within<T>(client: Client, timeoutMs: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    // The deadline alone ends an attempt, and the connection makes several of them.
    return await Promise.race([client.withDeadline(Date.now() + timeoutMs, ask), late]);
  } finally {
    clearTimeout(timer);
  }
}

function isAway(error: unknown): boolean {
  return !(error instanceof ApplicationError) && hasStatus(error, AWAY);
}

function hasStatus(error: unknown, statuses: ReadonlySet<number>): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'number' && statuses.has(code)) return true;
  }
  return false;
}
