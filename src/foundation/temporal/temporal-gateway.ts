import {
  Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type ConnectionLike,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { WorkflowIdReusePolicy } from '@temporalio/common';
import { ApplicationError, unavailable } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';
import {
  isUnavailable,
  withDeadline,
  missingSearchAttribute,
  registerSearchAttributes,
  typedAttributes,
  type SearchAttribute,
  type SearchAttributeList,
} from './search-attributes.ts';
import { TemporalSchedules } from './temporal-schedules.ts';
import {
  LIST_TIMEOUT_MS,
  PROBE_TIMEOUT_MS,
  RECONNECT_DELAY_MS,
  TEMPORAL_WAIT_MS,
  UPDATE_TIMEOUT_MS,
  PROBE_EVERY_MS,
} from '../foundation.limits.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Circuit breaker: opens on the first timeout; a background probe closes it. */
class CircuitBreaker {
  readonly #probe: () => Promise<boolean>;
  #probing = false;
  #closed = false;
  #firstProbe: Promise<boolean> = Promise.resolve(true);

  /** @param probe whether the server answers; must not throw, and must have a time limit */
  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe;
  }

  get isOpen(): boolean {
    return this.#probing;
  }

  open(): void {
    if (!this.#probing && !this.#closed) void this.#probeUntilUp();
  }

  /** Whether it is closed, or closes with the first probe: the server was only slow. */
  async isClosedByFirstProbe(): Promise<boolean> {
    await this.#firstProbe;
    return !this.#probing;
  }

  close(): void {
    this.#closed = true;
  }

  async #probeUntilUp(): Promise<void> {
    this.#probing = true;
    // The first probe is immediate, so that a server that was only slow is used again at once.
    this.#firstProbe = this.#probe();
    let isUp = await this.#firstProbe;
    while (!this.#closed && !isUp) {
      await sleep(PROBE_EVERY_MS, undefined, { ref: false });
      isUp = await this.#probe();
    }
    this.#probing = false;
  }
}

export interface StartOptions {
  readonly workflowId: string;
  readonly workflowIdReusePolicy?: WorkflowIdReusePolicy;
  readonly args: unknown[];
  readonly memo?: Record<string, unknown>;
  readonly attributes: Partial<Record<SearchAttribute, string>>;
  readonly attributeLists?: Readonly<Partial<Record<SearchAttributeList, readonly string[]>>>;
  /** One line for Temporal's Web UI. */
  readonly summary?: string;
  /** Another worker gets a workflow task that takes longer, unless its worker asks for more time. */
  readonly taskTimeoutMs?: number;
}

export interface WorkflowEnd {
  /** COMPLETED, TERMINATED, CANCELLED, FAILED or TIMED_OUT. */
  readonly status: string;
  /** Reason given by the operator who terminated it. */
  readonly reason: string | null;
}

/** Whether a call that failed with SERVICE_UNAVAILABLE may have had its effect. */
function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ApplicationError && error.code === 'SERVICE_UNAVAILABLE' && error.cause !== undefined;
}

/** Filter of the API: only the last event of a history. */
const CLOSE_EVENT_ONLY = 2;

/** The only client of Temporal. It exists before its connection, because reads work without Temporal. */
export class TemporalGateway {
  readonly #namespace: string;
  readonly #taskQueue: string;
  readonly #eager: boolean;
  readonly #waitMs: number;
  readonly #logger: Logger;
  readonly schedules: TemporalSchedules;
  #client: Client | null = null;
  #closed = false;
  /** Search attributes that cannot be had. */
  readonly #missing = new Set<string>();
  readonly #breaker = new CircuitBreaker(() => this.#probe());

  /**
   * @param eager whether a worker of this process shares the connection, so that a start returns its first
   * task
   * @param waitMs how long a request waits for Temporal
   */
  constructor(options: { namespace: string; taskQueue: string; eager: boolean; waitMs?: number }, logger: Logger) {
    this.#namespace = options.namespace;
    this.#taskQueue = options.taskQueue;
    this.#eager = options.eager;
    this.#waitMs = options.waitMs ?? TEMPORAL_WAIT_MS;
    this.#logger = logger;
    this.schedules = new TemporalSchedules(options.taskQueue, (ask) => this.#call(ask));
  }

  /** Connects, retrying until `close`, and adds missing search attributes. @returns null after `close` */
  async connect<C extends ConnectionLike>(open: () => Promise<C>): Promise<C | null> {
    for (let attempt = 1; !this.#closed; attempt += 1) {
      let connection: C | undefined;
      try {
        connection = await open();
        const client = new Client({ connection, namespace: this.#namespace });
        await registerSearchAttributes(client, this.#namespace, this.#logger);
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
   * Starts a workflow, unless one with its id is running (or, as the reuse policy says, has ended).
   * @returns whether this call has started it
   * @throws SERVICE_UNAVAILABLE if Temporal does not answer in time, even if the workflow has started
   */
  async start(workflowType: string, options: StartOptions): Promise<boolean> {
    const { attributes, attributeLists = {}, summary, taskTimeoutMs, ...rest } = options;
    const start = () =>
      this.#call((client) =>
        client.workflow.start(workflowType, {
          ...rest,
          ...(summary !== undefined && { staticSummary: summary }),
          ...(taskTimeoutMs !== undefined && { workflowTaskTimeout: taskTimeoutMs }),
          taskQueue: this.#taskQueue,
          requestEagerStart: this.#eager,
          typedSearchAttributes: typedAttributes(attributes, this.#available(attributeLists)),
        }),
      );
    let registered = false;
    for (;;) {
      try {
        await start();
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        const missing = missingSearchAttribute(error);
        if (missing === null || this.#missing.has(missing)) throw error;
        // Lists are few in a namespace, and others may have taken them.
        if (registered && missing in attributeLists) this.#missing.add(missing);
        else if (registered) throw error;
        // Temporal has lost its data since this process connected.
        else await this.registerSearchAttributes();
        registered = true;
      }
    }
  }

  #available(lists: NonNullable<StartOptions['attributeLists']>): typeof lists {
    return Object.fromEntries(Object.entries(lists).filter(([name]) => !this.#missing.has(name)));
  }

  /** Adds the search attributes that Temporal lacks. @throws SERVICE_UNAVAILABLE */
  registerSearchAttributes(): Promise<void> {
    return this.#call((client) => registerSearchAttributes(client, this.#namespace, this.#logger));
  }

  /**
   * Sends an update and waits for its outcome. A repeated id is executed once.
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

  /** Starts a workflow that probably does not exist, or else signals it. @throws SERVICE_UNAVAILABLE */
  async startOrSignal(workflowType: string, options: StartOptions, signal: string): Promise<void> {
    const isNew = await this.start(workflowType, options);
    if (!isNew) await this.signal(options.workflowId, signal, null);
  }

  /** Signals a workflow that probably exists, or else starts it. @throws SERVICE_UNAVAILABLE */
  async signalOrStart(workflowType: string, options: StartOptions, signal: string): Promise<void> {
    try {
      await this.signal(options.workflowId, signal, null);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await this.startOrSignal(workflowType, options, signal);
    }
  }

  /** @throws SERVICE_UNAVAILABLE; WorkflowNotFoundError */
  describe(workflowId: string): Promise<WorkflowExecutionDescription> {
    return this.#call((client) => client.workflow.getHandle(workflowId).describe());
  }

  /**
   * Lists the ids of this installation's workflows that have closed with one of these statuses. A failure
   * does not open the circuit breaker, because Temporal's lists can be unavailable alone.
   * @param since null: as far back as Temporal keeps them
   * @throws SERVICE_UNAVAILABLE
   */
  async closedSince(workflowType: string, statuses: readonly string[], since: Date | null): Promise<Set<string>> {
    const client = this.#client;
    if (!client || this.#breaker.isOpen) throw unavailable('temporal');
    const quoted = (text: string): string => JSON.stringify(text);
    const query = [
      `TaskQueue = ${quoted(this.#taskQueue)}`,
      `WorkflowType = ${quoted(workflowType)}`,
      `ExecutionStatus in (${statuses.map(quoted).join(', ')})`,
      ...(since ? [`CloseTime > ${quoted(since.toISOString())}`] : []),
    ].join(' and ');
    try {
      return await withDeadline(client, LIST_TIMEOUT_MS, async () => {
        const found = new Set<string>();
        for await (const { workflowId } of client.workflow.list({ query })) found.add(workflowId);
        return found;
      });
    } catch (error) {
      throw unavailable('temporal', error);
    }
  }

  /**
   * How the last workflow with an id has closed; null while it runs.
   * @throws SERVICE_UNAVAILABLE; WorkflowNotFoundError
   */
  async endOf(workflowId: string): Promise<WorkflowEnd | null> {
    const { status, runId } = await this.describe(workflowId);
    if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return null;
    const [last] = await this.#call(async ({ workflowService }) => {
      const { history } = await workflowService.getWorkflowExecutionHistory({
        namespace: this.#namespace,
        execution: { workflowId, runId },
        historyEventFilterType: CLOSE_EVENT_ONLY,
      });
      return history?.events ?? [];
    });
    const reason = last?.workflowExecutionTerminatedEventAttributes?.reason || null;
    return { status: status.name, reason };
  }

  /** Identifies this installation where several share a namespace. */
  get taskQueue(): string {
    return this.#taskQueue;
  }

  /** Whether a call failed only because it got no answer in time, and can be repeated at once. */
  async wasOnlySlow(error: unknown): Promise<boolean> {
    return isOutcomeUnknown(error) && (await this.#breaker.isClosedByFirstProbe());
  }

  async isReachable(): Promise<boolean> {
    return !this.#breaker.isOpen && (await this.#probe(this.#waitMs));
  }

  close(): void {
    this.#closed = true;
    this.#breaker.close();
    this.#client = null;
  }

  async #probe(timeoutMs = PROBE_TIMEOUT_MS): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    return withDeadline(client, timeoutMs, () => client.workflowService.getSystemInfo({})).then(
      () => true,
      () => false,
    );
  }

  /** Fails at once while the circuit breaker is open. */
  async #call<T>(ask: (client: Client) => Promise<T>, timeoutMs = this.#waitMs): Promise<T> {
    const client = this.#client;
    if (!client || this.#breaker.isOpen) throw unavailable('temporal');
    try {
      return await withDeadline(client, timeoutMs, () => ask(client));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#breaker.open();
      throw unavailable('temporal', error);
    }
  }
}
