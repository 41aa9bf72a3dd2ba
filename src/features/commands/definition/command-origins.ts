import { originOf, type VariableOrigins } from '../../../foundation/expressions/expression-origin.ts';
import {
  fieldsIn,
  fromFields,
  listOf,
  partOf,
  recordOf,
  withMembers,
  type ValueOrigin,
} from '../../../foundation/expressions/value-origin.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import type { EventOrigins, ShownValue } from '../../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';
import { originWithRelated } from './related-types.ts';
import type { AnyCommandStep } from '../steps/command-step.ts';
import { kindOf } from '../steps/step-kinds.ts';

/** Stands for a member of the payload until it is known which fields it is written to. */
const PAYLOAD = '$payload.';

interface CommandOrigins {
  readonly ofEvent: EventOrigins;
  /** The variables of each step's expressions, by its id. */
  readonly variables: ReadonlyMap<string, VariableOrigins>;
}

const known = new WeakMap<CommandContent, CommandOrigins>();

/**
 * The fields that a command's payload and result tell of. A payload field of a CUSTOM command tells of the
 * fields that the steps write it to.
 */
export function commandOrigins(command: CommandContent): EventOrigins {
  return originsIn(command).ofEvent;
}

/** The fields that an expression of a step comes from. */
export function stepOrigins(command: CommandContent, stepId: string): (source: string) => ValueOrigin {
  return (source) => originOf(source, originsIn(command).variables.get(stepId) ?? {});
}

/** The fields that the payload of the event of a step comes from; null for a step that emits none. */
export function stepEventOrigin(command: CommandContent, step: AnyCommandStep): ValueOrigin | null {
  const event = kindOf(step).event?.(step);
  const of = stepOrigins(command, step.id);
  return event ? withMembers(Object.entries(event.payload).map(([key, source]) => [key, of(source)])) : null;
}

/** Codes of the models of whose records the command's result and the events of its steps tell. */
export function modelsTold(command: CommandContent): ReadonlySet<string> {
  const ofSteps = (command.steps ?? []).flatMap((step) => stepEventOrigin(command, step) ?? []);
  const fields = [commandOrigins(command).result ?? {}, ...ofSteps].flatMap(fieldsIn);
  return new Set(fields.map((field) => field.slice(0, field.indexOf('.'))));
}

function originsIn(command: CommandContent): CommandOrigins {
  let found = known.get(command);
  if (!found) {
    found = computeOrigins(command);
    known.set(command, found);
  }
  return found;
}

/** The values that a command's steps write, and those of its answer that it does not mean to reveal. */
export function valuesShown(command: CommandContent): ShownValue[] {
  const revealed = new Set(command.reveals);
  const { members = {} } = (command.result && commandOrigins(command).result) ?? {};
  const answered = Object.entries(members).map(([key, origin]) => {
    // The fields of a whole record are left out one by one.
    const from = fieldsIn(origin).filter((field) => !field.endsWith('.*') && !revealed.has(field));
    return { path: `content.result.${key}`, field: null, from };
  });
  return [...valuesWritten(command), ...answered];
}

interface Walked {
  /** What the expressions of each step read, by its id. */
  readonly variables: ReadonlyMap<string, VariableOrigins>;
  /** The variables of the result's expressions. */
  readonly last: VariableOrigins;
  /** The outputs that are answered without a `result`, by the steps' ids. */
  readonly answered: ValueOrigin;
}

/** Follows values through the steps. */
function walk(command: CommandContent, payload: ValueOrigin): Walked {
  const { modelCode, steps = [] } = command;
  const outputs: (readonly [id: string, origin: ValueOrigin])[] = [];
  const variables = new Map<string, VariableOrigins>();
  const current = (): VariableOrigins => ({ record: recordOf(modelCode), payload, steps: withMembers(outputs) });
  for (const step of steps) {
    const before = current();
    const list = kindOf(step).list?.(step);
    const own = list === undefined ? before : { ...before, item: partOf(originOf(list, before)) };
    variables.set(step.id, own);
    outputs.push([step.id, kindOf(step).outputOrigin(step, (source) => originOf(source, own))]);
  }
  const answered = outputs.filter((_output, index) => isAnswered(steps[index]));
  return { variables, last: current(), answered: withMembers(answered) };
}

function isAnswered(step: AnyCommandStep | undefined): boolean {
  return step !== undefined && kindOf(step).isAnswered;
}

/** The values that a command's steps write. */
function valuesWritten(command: CommandContent): (ShownValue & { readonly field: string })[] {
  const { variables } = walk(
    command,
    payloadOf(command, (code) => [`${PAYLOAD}${code}`]),
  );
  return (command.steps ?? []).flatMap((step, index) =>
    [...(kindOf(step).writes?.(step) ?? [])].map(({ path, field, source }) => ({
      path: `content.steps.${index}.${path}`,
      field,
      from: fieldsIn(originOf(source, variables.get(step.id) ?? {})),
    })),
  );
}

function computeOrigins(command: CommandContent): CommandOrigins {
  const { steps, result } = command;
  const plain = originWithRelated(command);
  if (!steps) return { ofEvent: { payload: plain, result: plain }, variables: new Map() };
  const written = new Map<string, string[]>();
  for (const { from, field } of valuesWritten(command)) {
    for (const source of from) written.set(source, [...(written.get(source) ?? []), field]);
  }
  const payload = payloadOf(command, (code) => written.get(`${PAYLOAD}${code}`) ?? []);
  const { variables, last, answered } = walk(command, payload);
  if (!result) return { ofEvent: { payload, result: answered }, variables };
  const members = Object.entries(result).map(([key, source]) => [key, originOf(source, last)] as const);
  return { ofEvent: { payload, result: withMembers(members) }, variables };
}

function payloadOf(
  { modelCode, operations, payload = [] }: CommandContent,
  fieldsOf: (code: string) => readonly string[],
): ValueOrigin {
  if (!operations.includes('CUSTOM')) return recordOf(modelCode);
  const originOfField = ({ code, fields }: FieldContent, at = code): ValueOrigin =>
    fields
      ? listOf(withMembers(fields.map((field) => [field.code, originOfField(field, `${code}.${field.code}`)])))
      : fromFields(fieldsOf(at));
  return withMembers(payload.map((field) => [field.code, originOfField(field)]));
}
