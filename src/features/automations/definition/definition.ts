import { blocksOf, isActivityStep, isLoop } from '../steps/step-kinds.ts';
import type { AnyStep, CommandCall } from '../steps/step-schema.ts';
import type { AutomationContent } from './automation-content.ts';

/** A step with the steps around it. */
export interface PlacedStep {
  readonly step: AnyStep;
  /** The ids of the steps it is in, from the outside in. */
  readonly ancestors: readonly string[];
  /** Those of them that are loops. */
  readonly loops: readonly string[];
}

/** The definition that a run follows, with its steps by id. */
export class Definition {
  readonly code: string;
  readonly content: AutomationContent;
  readonly steps: ReadonlyMap<string, PlacedStep>;

  constructor(code: string, content: AutomationContent) {
    this.code = code;
    this.content = content;
    this.steps = new Map([...placed(content.steps, [], [])].map((each) => [each.step.id, each]));
  }

  step(id: string): PlacedStep {
    const found = this.steps.get(id);
    if (!found) throw new Error(`the definition of ${this.code} has no step ${id}`);
    return found;
  }

  /** The steps whose outputs a step can read, its own included, with their keys. */
  visibleFrom({ loops }: PlacedStep, iteration: readonly number[]): [id: string, key: string][] {
    return [...this.steps.values()]
      .filter((each) => each.loops.every((loop, index) => loops[index] === loop))
      .map((each) => [each.step.id, stepKey(each.step.id, iteration.slice(0, each.loops.length))]);
  }

  compensationOf(stepId: string): CommandCall | null {
    const { step } = this.step(stepId);
    return (isActivityStep(step) ? step.compensation : undefined) ?? null;
  }
}

function* placed(
  steps: readonly AnyStep[],
  ancestors: readonly string[],
  loops: readonly string[],
): Iterable<PlacedStep> {
  for (const step of steps) {
    yield { step, ancestors, loops };
    const inner = isLoop(step) ? [...loops, step.id] : loops;
    for (const [, block] of blocksOf(step)) yield* placed(block, [...ancestors, step.id], inner);
  }
}

/** Names a step of a run: its id, with the indexes of the items it is for. */
export function stepKey(stepId: string, iteration: readonly number[] = []): string {
  return iteration.length === 0 ? stepId : `${stepId}[${iteration.join(',')}]`;
}

/** The type of the steps that undo others. */
export const COMPENSATION = 'compensation';

const COMPENSATION_PREFIX = 'undo:';

/** Names the step that undoes another one. */
export function compensationKey(key: string): string {
  return `${COMPENSATION_PREFIX}${key}`;
}

/** The key of the step that a compensation undoes. */
export function compensatedKey(key: string): string {
  return key.slice(COMPENSATION_PREFIX.length);
}
