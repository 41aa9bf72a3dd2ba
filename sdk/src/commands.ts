import type { AnyCommand } from './app-types.ts';
import { errorOf } from './errors.ts';
import type { Choice } from './pages.ts';
import type { Answer, CallOptions, Transport } from './transport.ts';
import { Watched } from './watched.ts';

export interface CommandOptions extends CallOptions {
  /** Made for each call where it is absent: a repeat after a lost answer does nothing twice. */
  readonly idempotencyKey?: string;
  /** The record as it was read, or its version. @throws PreconditionError where another change came first */
  readonly ifMatch?: { readonly version: number } | number;
}

export type ExecutionStatus = 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** The state of an execution. */
export interface ExecutionState<Result = unknown> {
  readonly pid: string;
  readonly commandCode: string;
  readonly status: ExecutionStatus;
  readonly result: Result | null;
  readonly error: { readonly code: string; readonly message: string; readonly data?: unknown } | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** What a command would do. */
export interface DryRun<Result> {
  readonly result: Result;
  readonly changes: readonly Readonly<Record<string, unknown>>[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly subscriptions: readonly Readonly<Record<string, unknown>>[];
}

type UnionToIntersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;
type TargetOf<T extends AnyCommand> = unknown extends T['target']
  ? { readonly targetRecordId?: string }
  : [T['target']] extends [null]
    ? unknown
    : { readonly targetRecordId: T['target'] };
/** Of several operations a request names its own; without a name it creates. */
type KindOf<T extends AnyCommand, IsOnly> = IsOnly extends true
  ? { readonly operationType?: T['kind'] }
  : T['kind'] extends 'CREATE'
    ? { readonly operationType?: 'CREATE' }
    : { readonly operationType: T['kind'] };
type OptionsOf<T extends AnyCommand, IsOnly> = CommandOptions & TargetOf<T> & KindOf<T, IsOnly>;
type Rest<Options> = CommandOptions extends Options ? [options?: Options] : [options: Options];

interface Call<T extends AnyCommand, IsOnly> {
  /** Executes the command, and waits for its end. @throws KeelsonError */
  (payload: T['payload'], ...rest: Rest<OptionsOf<T, IsOnly>>): Promise<T['result']>;
}
interface Start<T extends AnyCommand, IsOnly> {
  (payload: T['payload'], ...rest: Rest<OptionsOf<T, IsOnly>>): Promise<Execution<T['result']>>;
}
interface Try<T extends AnyCommand, IsOnly> {
  (payload: T['payload'], ...rest: Rest<OptionsOf<T, IsOnly>>): Promise<DryRun<T['result']>>;
}

type IsOnly<All, T> = [All] extends [T] ? true : false;
type Overloads<F extends 'call' | 'start' | 'try', All, T = All> = UnionToIntersection<
  T extends AnyCommand
    ? { call: Call<T, IsOnly<All, T>>; start: Start<T, IsOnly<All, T>>; try: Try<T, IsOnly<All, T>> }[F]
    : never
>;

type Choices = (field: string, options?: CallOptions & { readonly keyword?: string }) => Promise<readonly Choice[]>;

/** A command, to be called. */
export type Command<T> = Overloads<'call', T> & {
  /** Executes it without waiting for its end. */
  readonly start: Overloads<'start', T>;
  /** Tells what it would do, and does nothing. */
  readonly dryRun: Overloads<'try', T>;
  /** What may be chosen for a field of its payload; `lines.item` is a field of the items of a list. */
  readonly choices: Choices;
};

type Given = CommandOptions & { readonly targetRecordId?: string; readonly operationType?: string };

export function commandOf<T>(transport: Transport, code: string): Command<T> {
  const execute = <R>(payload: unknown, options: Given, rest: object, headers: Record<string, string> = {}) => {
    const { idempotencyKey = newKey(), ifMatch, signal, targetRecordId, operationType } = options;
    const version = typeof ifMatch === 'object' ? ifMatch.version : ifMatch;
    return transport.request<R>('POST', `/api/meta/commands/execute/${encodeURIComponent(code)}`, {
      idempotencyKey,
      signal,
      body: { payload, targetRecordId, operationType, ...rest },
      headers: { ...headers, ...(version !== undefined && { 'if-match': `"${version}"` }) },
    });
  };
  const call = async (payload: unknown, options: Given = {}): Promise<unknown> => {
    const answer = await execute(payload, options, {});
    return answer.status === 202 ? accepted(transport, answer).wait(options) : answer.data;
  };
  const start = async (payload: unknown, options: Given = {}): Promise<Execution<unknown>> =>
    accepted(transport, await execute(payload, options, {}, { prefer: 'respond-async' }));
  const dryRun = async (payload: unknown, options: Given = {}): Promise<unknown> =>
    (await execute(payload, options, { dryRun: true })).data;
  const choices: Choices = async (field, { signal, ...query } = {}) => {
    const path = `/api/meta/commands/options/${encodeURIComponent(code)}/${encodeURIComponent(field)}`;
    return (await transport.request<readonly Choice[]>('GET', path, { query, signal, isRead: true })).data;
  };
  return Object.assign(call, { start, dryRun, choices }) as unknown as Command<T>;
}

function accepted(transport: Transport, { headers }: Answer<unknown>): Execution<unknown> {
  return new Execution(transport, headers.get('x-execution-pid') ?? '');
}

/** A command that was accepted. */
export class Execution<Result> extends Watched<ExecutionState<Result>> {
  constructor(transport: Transport, pid: string) {
    super(transport, '/api/meta/commands/executions', pid);
  }

  /** Waits for its end. @returns the result @throws KeelsonError, the one that ended it */
  async wait(options?: CallOptions): Promise<Result> {
    const { status, result, error } = await this.ended(options);
    if (status === 'SUCCEEDED') return result as Result;
    const { code, message, data } = error ?? { code: status, message: `The execution is ${status}` };
    throw errorOf(message, { code, status: 0, data });
  }
}

/** `crypto.randomUUID` is for secure contexts alone. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
