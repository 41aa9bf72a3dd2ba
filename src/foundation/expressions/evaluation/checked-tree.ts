import type { ParseResult } from '@marcbachmann/cel-js';

/*
 * Insides of cel-js: only `op`, `args`, `start` and `end` of a node are its API. They are touched nowhere but
 * through these types. The library has an exact version, `test/unit/cel-tree.test.ts` fails where another one
 * has other insides, and decision 60 proposes what would do without them.
 */

export type Handle = (...given: readonly unknown[]) => unknown;
export type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** A node of an expression whose types have been checked. */
export interface CheckedNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
  readonly checkedType?: { readonly name: string };
  readonly meta: { readonly alternate?: CheckedNode; readonly macro?: Macro };
  readonly left?: CheckedNode;
  handle?: Handle;
  evaluate: Evaluate;
}

export interface Macro {
  evaluate: Evaluate;
}

/** `args` of a `comprehension`. */
export interface Comprehension {
  readonly iterable: CheckedNode;
  readonly init: CheckedNode;
  readonly step: CheckedNode;
}

/** @param parsed one whose `check` has been called */
export function checkedTreeOf({ ast }: ParseResult): CheckedNode {
  return ast as unknown as CheckedNode;
}

export function isNode(part: unknown): part is CheckedNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}
