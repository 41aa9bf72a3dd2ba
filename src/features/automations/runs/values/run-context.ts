import type { ExpressionContext } from '../../../../foundation/expressions/language.ts';
import { inTimeZone } from '../../../../foundation/expressions/evaluation/zone-of-context.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { stepKey, type Definition } from '../../definition/definition.ts';
import { valuesOfFields } from '../../../../platform/metadata/models/expression-values.ts';
import type { RunValueOrigins } from './run-value-origins.ts';
import type { RunRow } from '../rows/run-store.ts';

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
  readonly #origins: RunValueOrigins;
  readonly #outputs = new Map<string, unknown>();

  constructor(definition: Definition, run: RunFacts, load: LoadOutputs, origins: RunValueOrigins) {
    this.#definition = definition;
    this.#run = run;
    this.#load = load;
    this.#origins = origins;
  }

  /** Sets the output of a step that has changed since its row was read. */
  put(key: string, output: unknown): void {
    this.#outputs.set(key, output);
  }

  /**
   * The variables that a step's expressions read.
   * @param event replaces the event that triggered the run
   */
  async at(stepId: string, iteration: readonly number[], event: unknown = this.#run.event): Promise<ExpressionContext> {
    await letOthersRun();
    const { loops: around } = this.#definition.step(stepId);
    const visible = this.#definition.readBy(stepId, iteration);
    await this.#loadMissing(visible.map(([, key]) => key));
    const steps = Object.fromEntries(
      visible.map(([id, key]) => [id, this.#origins.readOutput(id, this.#outputs.get(key) ?? null)]),
    );
    const loops = around.map((id, depth) => {
      const index = iteration[depth] ?? 0;
      const output = this.#outputs.get(stepKey(id, iteration.slice(0, depth))) as { items?: unknown[] } | null;
      const item = this.#origins.readItem(id, output?.items?.[index] ?? null);
      return [id, { item, index }] as const;
    });
    const [, innermost] = loops.at(-1) ?? [null, { item: null, index: null }];
    const { content } = this.#definition;
    const variables = {
      ...variablesOf(this.#run, this.#origins.readEvent(event)),
      input: valuesOfFields(content.input ?? [], this.#run.input),
      steps,
      loops: Object.fromEntries(loops),
      ...innermost,
    };
    return inTimeZone(variables, this.#origins.metadata.timeZoneOf(this.#run.tenantId));
  }

  async #loadMissing(keys: readonly string[]): Promise<void> {
    const missing = keys.filter((key) => !this.#outputs.has(key));
    if (missing.length === 0) return;
    const loaded = await this.#load(missing);
    for (const key of missing) this.#outputs.set(key, loaded.get(key) ?? null);
  }
}

/** The variables before the first step. @param event as `readEvent` gives it */
export function variablesOf(run: RunFacts, event: unknown): ExpressionContext {
  const { pid, automationCode, userPid, username, tenantId } = run;
  return {
    input: run.input,
    event,
    steps: {},
    loops: {},
    item: null,
    index: null,
    now: new Date(),
    run: { pid, automationCode, createdAt: run.createdAt, startedBy: username },
    actor: { pid: userPid, username, tenantId },
  };
}
