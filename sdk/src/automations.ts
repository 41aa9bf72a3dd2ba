import type { AppTypes, AutomationCode, AutomationInput, Rest } from './app-types.ts';
import { newKey } from './commands.ts';
import { errorOf } from './errors.ts';
import type { Choice } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';
import { Watched } from './watched.ts';

export type RunStatus = 'PENDING' | 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
type RunError = { readonly code: string; readonly message: string; readonly data: unknown } | null;

export interface RunStep {
  readonly id: string;
  /** Its id, with the numbers of the items it is for. */
  readonly key: string;
  readonly type: string;
  readonly status: string;
  readonly attempt: number;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly output?: unknown;
  readonly error: RunError;
}

/** The state of a run. */
export interface RunState<Input = unknown> {
  readonly runPid: string;
  readonly automationCode: string;
  readonly version: number;
  readonly status: RunStatus;
  /** Null where the caller may not see it. */
  readonly input: Input | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly error: RunError;
  readonly stepCount: number;
  readonly steps: readonly RunStep[];
}

/** Data of the events `step`, `run` and `end`. */
export type RunEvent = Partial<Omit<RunStep, 'status' | 'output'>> & {
  readonly runPid: string;
  readonly status: string;
  /** How many steps have begun, or are known, and how many of them have ended: of `run`. */
  readonly progress?: { readonly finished: number; readonly total: number };
};

/** A step that waits for the caller. */
export interface WaitingApproval {
  readonly runPid: string;
  readonly automationCode: string;
  readonly step: string;
  readonly message: unknown;
  readonly record: { readonly modelCode: string; readonly pid: string } | null;
  readonly since: string;
  readonly due: string | null;
  readonly mayDecide: boolean;
}

export interface StartOptions extends CallOptions {
  /** Made for each call where it is absent: a repeat after a lost answer starts nothing twice. */
  readonly idempotencyKey?: string;
}

interface Decision {
  readonly comment?: string;
  /** Its key, where several wait. */
  readonly step?: string;
}

/** An automation, to be started. */
export class Automation<A extends AppTypes, C extends AutomationCode<A>> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, code: C) {
    this.#transport = transport;
    this.#path = `/api/automations/${encodeURIComponent(code)}`;
  }

  /** What may be chosen for a field of its input; `lines.item` is a field of the items of a list. */
  async choices(
    field: string,
    { signal, ...query }: CallOptions & { readonly keyword?: string } = {},
  ): Promise<readonly Choice[]> {
    const path = `${this.#path}/options/${encodeURIComponent(field)}`;
    return (await this.#transport.request<readonly Choice[]>('GET', path, { query, signal })).data;
  }

  /** Begins a run, and does not wait for its end. @throws KeelsonError */
  async start(
    ...[input, options = {}]: Rest<AutomationInput<A, C>, StartOptions>
  ): Promise<Run<AutomationInput<A, C>>> {
    const { idempotencyKey = newKey(), signal } = options;
    const { data } = await this.#transport.request<RunState>('POST', `${this.#path}/runs`, {
      idempotencyKey,
      signal,
      body: { input },
    });
    return new Run(this.#transport, data.runPid);
  }
}

/** A run of an automation. */
export class Run<Input = unknown> extends Watched<RunState<Input>, RunEvent> {
  constructor(transport: Transport, pid: string) {
    super(transport, '/api/automations/runs', pid);
  }

  /** Waits for its end. @throws KeelsonError, the one that ended it */
  async wait(options?: CallOptions): Promise<RunState<Input>> {
    const state = await this.ended(options);
    if (state.status === 'SUCCEEDED') return state;
    const { code, message, data } = state.error ?? { code: state.status, message: `The run is ${state.status}` };
    throw errorOf(message, { code, status: 0, data });
  }

  /** Says yes to a step that waits for the caller. */
  approve(decision: Decision = {}): Promise<RunState<Input>> {
    return this.post('approve', { ...decision, approved: true });
  }

  reject(decision: Decision = {}): Promise<RunState<Input>> {
    return this.post('approve', { ...decision, approved: false });
  }

  /** Ends it, and undoes what it has done. */
  cancel(reason?: string): Promise<RunState<Input>> {
    return this.post('cancel', { reason });
  }

  /** Has a failed run go on from where it failed. */
  retry(): Promise<RunState<Input>> {
    return this.post('retry');
  }
}
