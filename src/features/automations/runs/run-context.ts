import type { ExpressionContext } from '../../../foundation/expressions/language.ts';
import { Breather } from '../../../foundation/jobs/breather.ts';
import { stepKey, type Definition } from '../definition/definition.ts';
import { isStepOf } from '../steps/step-kinds.ts';
import { waitForEventStep } from '../steps/wait-for-event.step.ts';
import type { RunRow } from './run-store.ts';

/** The columns of a run that expressions read. */
type RunFacts = Pick<
  RunRow,
  'pid' | 'automationCode' | 'input' | 'event' | 'userPid' | 'username' | 'tenantId' | 'createdAt'
>;

/** Loads the outputs of steps, by key. */
type LoadOutputs = (keys: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;

/** The variables of a run's expressions. Outputs of steps are loaded once. */
export class RunContext {
  readonly #definition: Definition;
  readonly #run: RunFacts;
  readonly #load: LoadOutputs;
  readonly #outputs = new Map<string, unknown>();
  readonly #breather = new Breather();

  constructor(definition: Definition, run: RunFacts, load: LoadOutputs) {
    this.#definition = definition;
    this.#run = run;
    this.#load = load;
  }

  /** Sets the output of a step that has changed since its row was read. */
  put(key: string, output: unknown): void {
    this.#outputs.set(key, output);
  }

  /**
   * The variables that a step's expressions read.
   * @param event in the place of the event that triggered the run
   */
  async at(stepId: string, iteration: readonly number[], event: unknown = this.#run.event): Promise<ExpressionContext> {
    await this.#breather.pause();
    const placed = this.#definition.step(stepId);
    const visible = this.#definition.readBy(stepId, iteration);
    await this.#loadMissing(visible.map(([, key]) => key));
    const steps = Object.fromEntries(visible.map(([id, key]) => [id, this.#outputOf(id, key)]));
    const loops = placed.loops.map((id, depth) => {
      const index = iteration[depth] ?? 0;
      const output = this.#outputs.get(stepKey(id, iteration.slice(0, depth))) as { items?: unknown[] } | null;
      return [id, { item: output?.items?.[index] ?? null, index }] as const;
    });
    const [, innermost] = loops.at(-1) ?? [null, { item: null, index: null }];
    return { ...variablesOf(this.#run, event), steps, loops: Object.fromEntries(loops), ...innermost };
  }

  #outputOf(stepId: string, key: string): unknown {
    const output = this.#outputs.get(key) ?? null;
    if (!isStepOf(waitForEventStep, this.#definition.step(stepId).step)) return output;
    const { event, ...rest } = (output ?? {}) as { event?: unknown };
    return event === undefined ? output : { ...rest, event: withoutSources(event) };
  }

  async #loadMissing(keys: readonly string[]): Promise<void> {
    const missing = keys.filter((key) => !this.#outputs.has(key));
    if (missing.length === 0) return;
    const loaded = await this.#load(missing);
    for (const key of missing) this.#outputs.set(key, loaded.get(key) ?? null);
  }
}

/** The variables before the first step. */
export function variablesOf(run: RunFacts, event: unknown = run.event): ExpressionContext {
  const { pid, automationCode, userPid, username, tenantId } = run;
  return {
    input: run.input,
    event: withoutSources(event),
    steps: {},
    loops: {},
    item: null,
    index: null,
    now: new Date(),
    run: { pid, automationCode, createdAt: run.createdAt, startedBy: username },
    actor: { pid: userPid, username, tenantId },
  };
}

/** What is stored with an event for its readers is nothing that expressions read. */
function withoutSources(event: unknown): unknown {
  if (typeof event !== 'object' || event === null) return event;
  const { sources: _sources, ...read } = event as { sources?: unknown };
  return read;
}
