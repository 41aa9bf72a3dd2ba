import { originOf, type VariableOrigins } from '../../../../foundation/expressions/expression-origin.ts';
import {
  ANYTHING,
  fieldsIn,
  fromFields,
  memberOf,
  partOf,
  withMembers,
  type ValueOrigin,
} from '../../../../foundation/expressions/value-origin.ts';
import type { EventOrigins } from '../../../../platform/metadata/resources/resource-type.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';
import { valuesInRecords } from '../../../../platform/metadata/models/expression-values.ts';
import type { FormerCodes } from '../../../../platform/metadata/snapshot/present-values.ts';
import { stepsOf } from '../../definition/automation-content.ts';
import type { Definition } from '../../definition/definition.ts';
import { forEachStep } from '../../steps/for-each.step.ts';
import { blocksOf, commandCallsOf, isStepOf, kindOf } from '../../steps/step-kinds.ts';
import { waitForEventStep } from '../../steps/wait-for-event.step.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import { formerCodesIn, withFormerCodes } from './former-codes.ts';
import { originsOfVariable, readEvent } from './run-event.ts';
import type { RunRow } from '../rows/run-store.ts';

/** The origins of what the steps of a run read and give. */
interface StepOrigins {
  /** Of each step's output, by its id. */
  readonly outputs: Readonly<Record<string, ValueOrigin>>;
  /** Of the variables of each step's expressions, by its id. */
  readonly variables: ReadonlyMap<string, VariableOrigins>;
}

/** The origins that a definition was asked for last: runs that equal events have started have the same. */
const latest = new WeakMap<Definition, { key: string; metadata: Snapshot; origins: RunValueOrigins }>();

/** The origins of the values in a run: the fields of models that its input and its outputs come from. */
export class RunValueOrigins {
  readonly #definition: Definition;
  readonly #isManual: boolean;
  readonly #event: ValueOrigin;
  readonly #knownInput: ValueOrigin | null;
  readonly metadata: Snapshot;
  #steps: StepOrigins | undefined;
  #former: FormerCodes | undefined;

  /**
   * @param event the origins of the event that started the run; null where none did
   * @param knownInput the origin of the input, where a command has given it
   */
  constructor(
    definition: Definition,
    isManual: boolean,
    event: EventOrigins | null,
    metadata: Snapshot,
    knownInput: ValueOrigin | null = null,
  ) {
    this.#definition = definition;
    this.#isManual = isManual;
    this.#event = event ? withMembers(Object.entries(event)) : {};
    this.#knownInput = knownInput;
    this.metadata = metadata;
  }

  static ofRun(
    definition: Definition,
    run: Pick<RunRow, 'trigger' | 'event' | 'inputOrigin'>,
    metadata: Snapshot,
  ): RunValueOrigins {
    const event = originsOfVariable(run.event, metadata);
    const isManual = run.trigger === 'manual';
    const key = JSON.stringify([isManual, event, run.inputOrigin]);
    const known = latest.get(definition);
    if (known?.key === key && known.metadata === metadata) return known.origins;
    const origins = new RunValueOrigins(definition, isManual, event, metadata, run.inputOrigin);
    latest.set(definition, { key, metadata, origins });
    return origins;
  }

  /** A step's output as expressions read it. */
  readOutput(stepId: string, output: unknown): unknown {
    const { step } = this.#definition.step(stepId);
    // Its items are read one by one: there may be 10,000 of them, and each reads this output.
    if (isStepOf(forEachStep, step)) return output;
    if (!isStepOf(waitForEventStep, step)) return this.#read(output, this.ofOutput(stepId));
    const { event, ...rest } = (output ?? {}) as { event?: unknown };
    return event === undefined ? output : { ...rest, event: this.readEvent(event) };
  }

  /** The variable `event` as expressions read it. */
  readEvent(variable: unknown): unknown {
    const origins = withMembers(Object.entries(originsOfVariable(variable, this.metadata) ?? {}));
    return withFormerCodes(readEvent(variable, this.metadata), origins, this.#formerCodes);
  }

  /** An item of a for-each as expressions read it. */
  readItem(stepId: string, item: unknown): unknown {
    return this.#read(item, partOf(memberOf(this.ofOutput(stepId), 'items')));
  }

  #read(value: unknown, origin: ValueOrigin): unknown {
    return withFormerCodes(valuesInRecords(value, origin, this.metadata), origin, this.#formerCodes);
  }

  get #formerCodes(): FormerCodes {
    this.#former ??= formerCodesIn(this.#definition.content, this.metadata);
    return this.#former;
  }

  ofOutput(stepId: string): ValueOrigin {
    return this.#stepOrigins.outputs[stepId] ?? ANYTHING;
  }

  /** The origin of the value of one of a step's expressions. */
  ofExpression(stepId: string, source: string): ValueOrigin {
    return originOf(source, this.#stepOrigins.variables.get(stepId) ?? {});
  }

  get ofInput(): ValueOrigin {
    if (this.#knownInput) return this.#knownInput;
    const { trigger } = this.#definition.content;
    if (this.#isManual || trigger.type === 'manual') return this.#originOfManualInput();
    const mapping = Object.entries(trigger.input ?? {});
    return withMembers(mapping.map(([code, source]) => [code, originOf(source, { event: this.#event })]));
  }

  /** What a person has given tells of the fields that commands write it to. */
  #originOfManualInput(): ValueOrigin {
    const codes = (this.#definition.content.input ?? []).map(({ code }) => code);
    const placeholders = withMembers(codes.map((code) => [code, fromFields([placeholderOf(code)])]));
    const { variables } = this.#originsOfSteps(placeholders);
    const written = this.#fieldsWrittenFrom(variables);
    return withMembers(codes.map((code) => [code, fromFields(written.get(placeholderOf(code)) ?? [])]));
  }

  get #stepOrigins(): StepOrigins {
    this.#steps ??= this.#originsOfSteps(this.ofInput);
    return this.#steps;
  }

  #originsOfSteps(input: ValueOrigin): StepOrigins {
    const outputs: Record<string, ValueOrigin> = {};
    const variables = new Map<string, VariableOrigins>();
    const visit = (steps: readonly AnyStep[], around: VariableOrigins): void => {
      for (const step of steps) {
        const own = { ...around, steps: { members: { ...outputs } } };
        variables.set(step.id, own);
        const ofExpression = (source: string): ValueOrigin => originOf(source, own);
        outputs[step.id] = kindOf(step).outputOrigin?.(step, ofExpression, this.metadata) ?? ANYTHING;
        const inner = isStepOf(forEachStep, step) ? withItem(own, step.id, ofExpression(step.items)) : own;
        for (const [, block] of blocksOf(step)) visit(block, inner);
      }
    };
    visit(this.#definition.content.steps, { input, event: this.#event });
    return { outputs, variables };
  }

  /** The fields that the run's commands write, by the fields that the written values come from. */
  #fieldsWrittenFrom(variables: StepOrigins['variables']): ReadonlyMap<string, readonly string[]> {
    const written = new Map<string, string[]>();
    for (const { step } of stepsOf(this.#definition.content.steps)) {
      for (const [, { commandCode, payload = {} }] of commandCallsOf(step)) {
        const target = this.metadata.eventOriginsOf(commandCode)?.payload ?? {};
        for (const [code, source] of Object.entries(payload)) {
          const fields = fieldsIn(memberOf(target, code));
          for (const from of fieldsIn(originOf(source, variables.get(step.id) ?? {}))) {
            written.set(from, [...(written.get(from) ?? []), ...fields]);
          }
        }
      }
    }
    return written;
  }
}

/** The field that stands for an input until it is known which fields it is written to. */
function placeholderOf(code: string): string {
  return `$input.${code}`;
}

function withItem(variables: VariableOrigins, loopId: string, items: ValueOrigin): VariableOrigins {
  const item = partOf(items);
  const { members = {} } = variables.loops ?? {};
  return { ...variables, item, loops: { members: { ...members, [loopId]: withMembers([['item', item]]) } } };
}
