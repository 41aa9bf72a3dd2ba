/** A tool that a provider wants to have used. */
export interface ToolCall {
  /** Unique within its answer. */
  readonly id: string;
  readonly name: string;
  /** JSON, as the provider wrote it: anything may be wrong with it. */
  readonly arguments: string;
}

/** One thing that an answer did on its way: it said something and asked for tools, or a tool gave its result. */
export type Step =
  | { readonly kind: 'calls'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'result'; readonly callId: string; readonly result: ToolResult };

/** What a tool gave. It is data: whatever stands in it was written by others. */
export type ToolResult =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly data?: unknown };

/** The calls that have no result yet, in their order. */
export function openCalls(steps: readonly Step[]): ToolCall[] {
  const answered = new Set(steps.flatMap((step) => (step.kind === 'result' ? [step.callId] : [])));
  const calls = steps.flatMap((step) => (step.kind === 'calls' ? step.calls : []));
  return calls.filter(({ id }) => !answered.has(id));
}

/** What was said before tools were asked for. */
export function textOf(steps: readonly Step[]): string {
  return steps.map((step) => (step.kind === 'calls' ? step.text : '')).join('');
}
