import { blocksOf, isActivityStep, isLoop } from '../steps/step-kinds.ts';
import type { AnyStep, CommandCall } from '../steps/step-schema.ts';
import type { AutomationContent } from './automation-content.ts';
import { expressionsOf } from './automation-expressions.ts';

/** A step of a definition, with its path and the steps around it. */
export interface DefinedStep {
  readonly step: AnyStep;
  /** Such as `steps.2.cases.0.steps.1`. */
  readonly path: string;
  /** The ids of the steps it is in, from the outside in. */
  readonly ancestors: readonly string[];
  /** Those of them that are loops. */
  readonly loops: readonly string[];
}

/** The definition that a run follows, with its steps by id. */
export class Definition {
  readonly code: string;
  readonly content: AutomationContent;
  readonly steps: ReadonlyMap<string, DefinedStep>;
  readonly #reads = new Map<string, ReadonlySet<string>>();

  constructor(code: string, content: AutomationContent) {
    this.code = code;
    this.content = content;
    this.steps = new Map([...definedSteps(content.steps, 'steps', [], [])].map((each) => [each.step.id, each]));
  }

  step(id: string): DefinedStep {
    const found = this.steps.get(id);
    if (!found) throw new Error(`the definition of ${this.code} has no step ${id}`);
    return found;
  }

  /** The ids of the steps that a loop repeats, without those of loops within it. */
  stepsIn(loop: string): string[] {
    return [...this.steps.values()].filter(({ loops }) => loops.at(-1) === loop).map(({ step }) => step.id);
  }

  /** The steps whose outputs a step can read, its own included, with their keys. */
  visibleFrom({ loops }: DefinedStep, iteration: readonly number[]): [id: string, key: string][] {
    return [...this.steps.values()]
      .filter((each) => each.loops.every((loop, index) => loops[index] === loop))
      .map((each) => [each.step.id, stepKey(each.step.id, iteration.slice(0, each.loops.length))]);
  }

  /** The steps whose outputs a step's expressions read, with their keys. */
  readBy(stepId: string, iteration: readonly number[]): [id: string, key: string][] {
    const step = this.step(stepId);
    let ids = this.#reads.get(stepId);
    if (!ids) {
      const visible = this.visibleFrom(step, []).map(([id]) => id);
      ids = idsReadBy(step, visible);
      this.#reads.set(stepId, ids);
    }
    return this.visibleFrom(step, iteration).filter(([id]) => ids.has(id));
  }

  compensationOf(stepId: string): CommandCall | null {
    const { step } = this.step(stepId);
    return (isActivityStep(step) ? step.compensation : undefined) ?? null;
  }
}

/** `steps` without the id of a step behind it: any step may be meant. */
const ANY_STEP = /\bsteps\b(?!\s*\.\s*[A-Za-z_])/;

/**
 * The ids among `visible` whose outputs a step may read: those that its expressions name, and the loops
 * around it.
 */
function idsReadBy({ step, loops }: DefinedStep, visible: readonly string[]): ReadonlySet<string> {
  const source = expressionsOf(step)
    .map((expression) => expression.source)
    .join('\n');
  const named = new Set(Array.from(source.matchAll(/\bsteps\s*\.\s*([A-Za-z_]\w*)/g), ([, id]) => id));
  const isAny = ANY_STEP.test(source);
  const readsItems = /\b(item|loops)\b/.test(source);
  return new Set(visible.filter((id) => isAny || named.has(id) || (readsItems && loops.includes(id))));
}

function* definedSteps(
  steps: readonly AnyStep[],
  path: string,
  ancestors: readonly string[],
  loops: readonly string[],
): Iterable<DefinedStep> {
  for (const [index, step] of steps.entries()) {
    const at = `${path}.${index}`;
    yield { step, path: at, ancestors, loops };
    const inner = isLoop(step) ? [...loops, step.id] : loops;
    for (const [name, block] of blocksOf(step)) {
      yield* definedSteps(block, `${at}.${name}`, [...ancestors, step.id], inner);
    }
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
