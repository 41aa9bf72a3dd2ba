import {
  blocksOf,
  isActing,
  type AutomationContent,
  type CommandCallContent,
  type StepContent,
} from '../metadata/automation-content.ts';

/** A step with its place among the others. */
export interface PlacedStep {
  readonly step: StepContent;
  /** The ids of the steps around it, from the outside in. */
  readonly around: readonly string[];
  /** Those of them that are for-eaches. */
  readonly loops: readonly string[];
}

/** The definition that a run follows, by step id. */
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

  /** The steps whose outputs can be read from a step, its own included, with the key of each. */
  visibleFrom({ loops }: PlacedStep, iteration: readonly number[]): [id: string, key: string][] {
    return [...this.steps.values()]
      .filter((each) => each.loops.every((loop, index) => loops[index] === loop))
      .map((each) => [each.step.id, stepKey(each.step.id, iteration.slice(0, each.loops.length))]);
  }

  compensationOf(stepId: string): CommandCallContent | null {
    const { step } = this.step(stepId);
    return (isActing(step) ? step.compensation : undefined) ?? null;
  }
}

function* placed(
  steps: readonly StepContent[],
  around: readonly string[],
  loops: readonly string[],
): Iterable<PlacedStep> {
  for (const step of steps) {
    yield { step, around, loops };
    const inner = step.type === 'forEach' ? [...loops, step.id] : loops;
    for (const [, block] of blocksOf(step)) yield* placed(block, [...around, step.id], inner);
  }
}

/** Names a step of a run: its id, with the numbers of the items it is for. */
export function stepKey(stepId: string, iteration: readonly number[] = []): string {
  return iteration.length === 0 ? stepId : `${stepId}[${iteration.join(',')}]`;
}

/** The type of a step that undoes another one. */
export const UNDO = 'compensation';

/** Names the step that undoes another one. */
export function undoKey(key: string): string {
  return `undo:${key}`;
}
