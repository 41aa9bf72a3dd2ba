import { validationError } from '../errors/application-error.ts';
import { automationCel } from '../expressions/automation-cel.ts';
import type { ExpressionContext } from '../expressions/language.ts';
import type { Definition } from './definition.ts';
import { stepKey } from './definition.ts';
import type { RunRow } from './run-store.ts';

type RunFacts = Pick<
  RunRow,
  'pid' | 'automation_code' | 'input' | 'event' | 'user_pid' | 'username' | 'tenant_id' | 'created_at'
>;

/** What expressions of a run read, wherever in it they stand. */
export class RunContext {
  readonly #definition: Definition;
  readonly #run: RunFacts;
  readonly #load: (keys: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
  readonly #outputs = new Map<string, unknown>();

  /** @param load gives what steps gave, by key */
  constructor(
    definition: Definition,
    run: RunFacts,
    load: (keys: readonly string[]) => Promise<ReadonlyMap<string, unknown>>,
  ) {
    this.#definition = definition;
    this.#run = run;
    this.#load = load;
  }

  /** A step has given this just now. */
  put(key: string, output: unknown): void {
    this.#outputs.set(key, output);
  }

  /** Variables for the expressions of a step. @param event another event than the one that started the run */
  async at(stepId: string, iteration: readonly number[], event: unknown = this.#run.event): Promise<ExpressionContext> {
    const placed = this.#definition.step(stepId);
    const visible = this.#definition.visibleFrom(placed, iteration);
    await this.#need(visible.map(([, key]) => key));
    const steps = Object.fromEntries(visible.map(([id, key]) => [id, this.#outputs.get(key) ?? null]));
    const rounds = placed.loops.map((id, depth) => {
      const index = iteration[depth] ?? 0;
      const output = this.#outputs.get(stepKey(id, iteration.slice(0, depth))) as { items?: unknown[] } | null;
      return [id, { item: output?.items?.[index] ?? null, index }] as const;
    });
    const [, innermost] = rounds.at(-1) ?? [null, { item: null, index: null }];
    return { ...variablesOf(this.#run, event), steps, loops: Object.fromEntries(rounds), ...innermost };
  }

  async #need(keys: readonly string[]): Promise<void> {
    const missing = keys.filter((key) => !this.#outputs.has(key));
    if (missing.length === 0) return;
    const loaded = await this.#load(missing);
    for (const key of missing) this.#outputs.set(key, loaded.get(key) ?? null);
  }
}

/** What there is to read before any step. */
export function variablesOf(run: RunFacts, event: unknown = run.event): ExpressionContext {
  const { pid, automation_code: automationCode, user_pid: userPid, username, tenant_id: tenantId } = run;
  return {
    ...{ input: run.input, event, steps: {}, loops: {}, item: null, index: null, now: new Date() },
    run: { pid, automationCode, createdAt: run.created_at, startedBy: username },
    actor: { pid: userPid, username, tenantId },
  };
}

/** Evaluation fails on what the data lacks, not on a bug of the service. @throws VALIDATION_ERROR at `path` */
export function evaluate(source: string, context: ExpressionContext, path: string): unknown {
  try {
    return automationCel.compile(source)(context);
  } catch (error) {
    throw validationError({ [path]: (error as Error).message.split('\n')[0] ?? 'cannot be evaluated' });
  }
}

/** @throws VALIDATION_ERROR naming each expression by its key */
export function evaluateMapping(
  mapping: Readonly<Record<string, string>> = {},
  context: ExpressionContext,
  path: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mapping).map(([key, source]) => [key, evaluate(source, context, `${path}.${key}`)]),
  );
}
