import { sourcesOf, type VariableSources } from '../../../../foundation/expressions/expression-sources.ts';
import {
  ANYTHING,
  fieldsIn,
  fromFields,
  memberOf,
  partOf,
  withMembers,
  type Sources,
} from '../../../../foundation/expressions/value-sources.ts';
import type { EventSources } from '../../../../platform/metadata/resources/resource-type.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';
import { valuesInRecords } from '../../../../platform/metadata/models/expression-values.ts';
import { stepsOf } from '../../definition/automation-content.ts';
import type { Definition } from '../../definition/definition.ts';
import { forEachStep } from '../../steps/for-each.step.ts';
import { blocksOf, commandCallsOf, isStepOf, kindOf } from '../../steps/step-kinds.ts';
import { waitForEventStep } from '../../steps/wait-for-event.step.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import { readEvent, sourcesOfVariable } from './run-event.ts';
import type { RunRow } from '../rows/run-store.ts';

/** Placeholder for an input until it is known which fields it is written to. */
const INPUT = '$input.';

const latest = new WeakMap<Definition, { key: string; metadata: Snapshot; sources: RunSources }>();

interface Walked {
  readonly outputs: Readonly<Record<string, Sources>>;
  /** The variables of each step's expressions, by its id. */
  readonly variables: ReadonlyMap<string, VariableSources>;
}

/** The fields of models that the parts of a run come from. */
export class RunSources {
  readonly #definition: Definition;
  readonly #event: Sources;
  readonly #isManual: boolean;
  readonly #given: Sources | null;
  readonly metadata: Snapshot;
  #walked: Walked | undefined;

  /**
   * @param event the sources of the event that started the run; null where none did
   * @param given those of the input, where a command has given it
   */
  constructor(
    definition: Definition,
    isManual: boolean,
    event: EventSources | null,
    metadata: Snapshot,
    given: Sources | null = null,
  ) {
    this.#definition = definition;
    this.#event = event ? withMembers(Object.entries(event)) : {};
    this.#isManual = isManual;
    this.#given = given;
    this.metadata = metadata;
  }

  /** Those of a run. Runs that equal events have started share them. */
  static of(
    definition: Definition,
    run: Pick<RunRow, 'trigger' | 'event' | 'inputSources'>,
    metadata: Snapshot,
  ): RunSources {
    const ofEvent = sourcesOfVariable(run.event, metadata);
    const isManual = run.trigger === 'manual';
    const key = JSON.stringify([isManual, ofEvent, run.inputSources]);
    const known = latest.get(definition);
    if (known?.key === key && known.metadata === metadata) return known.sources;
    const sources = new RunSources(definition, isManual, ofEvent, metadata, run.inputSources);
    latest.set(definition, { key, metadata, sources });
    return sources;
  }

  /** A step's output as expressions read it. */
  readOutput(stepId: string, output: unknown): unknown {
    const { step } = this.#definition.step(stepId);
    // Each item is read by itself: there may be 10,000 of them, and each asks.
    if (isStepOf(forEachStep, step)) return output;
    if (!isStepOf(waitForEventStep, step)) {
      return valuesInRecords(output, this.outputOf(stepId), this.metadata);
    }
    const { event, ...rest } = (output ?? {}) as { event?: unknown };
    return event === undefined ? output : { ...rest, event: readEvent(event, this.metadata) };
  }

  /** An item of a for-each as expressions read it. */
  readItem(stepId: string, item: unknown): unknown {
    return valuesInRecords(item, partOf(memberOf(this.outputOf(stepId), 'items')), this.metadata);
  }

  /** Of the run's input. What a person has given tells of the fields that it is written to. */
  get input(): Sources {
    if (this.#given) return this.#given;
    const { trigger, input = [] } = this.#definition.content;
    if (this.#isManual || trigger.type === 'manual') {
      const written = this.#writtenBy(this.#walk(withMembers(input.map(({ code }) => [code, given(code)]))));
      return withMembers(input.map(({ code }) => [code, fromFields(written.get(`${INPUT}${code}`) ?? [])]));
    }
    const variables = { event: this.#event };
    return withMembers(
      Object.entries(trigger.input ?? {}).map(([code, source]) => [code, sourcesOf(source, variables)]),
    );
  }

  /** Of a step's output. */
  outputOf(stepId: string): Sources {
    return this.#all.outputs[stepId] ?? ANYTHING;
  }

  /** Of the value of one of a step's expressions. */
  of(stepId: string, source: string): Sources {
    return sourcesOf(source, this.#all.variables.get(stepId) ?? {});
  }

  get #all(): Walked {
    this.#walked ??= this.#walk(this.input);
    return this.#walked;
  }

  #walk(input: Sources): Walked {
    const outputs: Record<string, Sources> = {};
    const known = new Map<string, VariableSources>();
    const walk = (steps: readonly AnyStep[], around: VariableSources): void => {
      for (const step of steps) {
        const variables = { ...around, steps: { members: { ...outputs } } };
        known.set(step.id, variables);
        const of = (source: string): Sources => sourcesOf(source, variables);
        outputs[step.id] = kindOf(step).outputSources?.(step, of, this.metadata) ?? ANYTHING;
        const inner = isStepOf(forEachStep, step) ? withItem(variables, step.id, of(step.items)) : variables;
        for (const [, block] of blocksOf(step)) walk(block, inner);
      }
    };
    walk(this.#definition.content.steps, { input, event: this.#event });
    return { outputs, variables: known };
  }

  /** The fields that commands write, by what is written to them. */
  #writtenBy({ variables }: Walked): ReadonlyMap<string, readonly string[]> {
    const written = new Map<string, string[]>();
    for (const { step } of stepsOf(this.#definition.content.steps)) {
      for (const [, { commandCode, payload = {} }] of commandCallsOf(step)) {
        const target = this.metadata.eventSourcesOf(commandCode)?.payload ?? {};
        for (const [code, source] of Object.entries(payload)) {
          const fields = fieldsIn(memberOf(target, code));
          for (const from of fieldsIn(sourcesOf(source, variables.get(step.id) ?? {}))) {
            written.set(from, [...(written.get(from) ?? []), ...fields]);
          }
        }
      }
    }
    return written;
  }
}

function given(code: string): Sources {
  return fromFields([`${INPUT}${code}`]);
}

function withItem(variables: VariableSources, id: string, items: Sources): VariableSources {
  const item = partOf(items);
  const { members = {} } = variables.loops ?? {};
  return { ...variables, item, loops: { members: { ...members, [id]: withMembers([['item', item]]) } } };
}
