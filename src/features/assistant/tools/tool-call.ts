import { MAX_CALLS_PER_TURN } from '../assistant.limits.ts';

/** A call of a tool by a provider. */
export interface ToolCall {
  /** Unique within its reply. */
  readonly id: string;
  readonly name: string;
  /** JSON as the provider wrote it, unchecked. */
  readonly arguments: string;
}

/** What a reply has done with tools, in order: text with calls, or the result of a call. */
export type ToolLogEntry =
  | { readonly kind: 'calls'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'result'; readonly callId: string; readonly result: ToolResult };

/** The arguments of a call, parsed. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The result of a tool: untrusted data, written by others. */
export type ToolResult =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly data?: unknown };

/** Names the calls of a turn, and drops those beyond the limit. */
export function numberCalls(calls: readonly Omit<ToolCall, 'id'>[], turn: number): ToolCall[] {
  return calls.slice(0, MAX_CALLS_PER_TURN).map((call, index) => ({ id: `call_${turn}_${index}`, ...call }));
}

/** Calls without a result, in order. */
export function pendingCalls(log: readonly ToolLogEntry[]): ToolCall[] {
  const answered = new Set(log.flatMap((entry) => (entry.kind === 'result' ? [entry.callId] : [])));
  const calls = log.flatMap((entry) => (entry.kind === 'calls' ? entry.calls : []));
  return calls.filter(({ id }) => !answered.has(id));
}

/** The text of all entries. */
export function textOf(log: readonly ToolLogEntry[]): string {
  return log.map((entry) => (entry.kind === 'calls' ? entry.text : '')).join('');
}
