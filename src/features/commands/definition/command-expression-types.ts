import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { TypeCheck, type ValueType, type VariableTypes } from '../../../foundation/expressions/type-check.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfFields, typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';
import { payloadTypeOf } from './related-types.ts';
import { kindOf } from '../steps/step-kinds.ts';

/** An expression of a command, with its path in the content. */
export interface PlacedExpression {
  readonly path: string;
  readonly source: string;
  /** How many of the command's steps have run when it is evaluated. */
  readonly stepsBefore: number;
  /** Its value has to be true or false. */
  readonly isCondition?: boolean;
  /** Its value is the list that a step is done for each item of. */
  readonly isList?: boolean;
  /** It may read `item`. */
  readonly isForEach?: boolean;
}

/** The variables of a command's expressions after each of its steps, from before the first one on. */
function* commandVariables(command: CommandContent, after: Configuration): Iterable<VariableTypes> {
  const { modelCode, operations, target, payload = [], steps = [] } = command;
  const model = after.find(MODEL, modelCode);
  const isCustom = operations.includes('CUSTOM');
  const hasRecord = isCustom ? target === true : operations.some((operation) => operation !== 'CREATE');
  const fixed = {
    payload: isCustom ? typeOfFields(payload) : payloadTypeOf(command, after),
    record: hasRecord && model ? typeOfRecord(model) : 'any',
    actor: { fields: { pid: 'text', username: 'text', tenantId: 'text' } },
    now: 'time',
  } as const;
  const given: Record<string, ValueType> = {};
  let variables: VariableTypes = { ...fixed, steps: { fields: {} } };
  yield variables;
  for (const step of steps) {
    given[step.id] = kindOf(step).outputType(step, after, new TypeCheck(variables));
    variables = { ...fixed, steps: { fields: { ...given } } };
    yield variables;
  }
}

/** The types of a step's variables. */
export function checkOfStep(command: CommandContent, index: number, configuration: Configuration): TypeCheck {
  return new TypeCheck([...commandVariables(command, configuration)][index] ?? {});
}

/** The result type of a command without `result`: its steps' outputs, by their ids. */
export function typesOfSteps(command: CommandContent, configuration: Configuration): [string, ValueType][] {
  const { steps = [] } = command;
  return steps.flatMap((step, index): [string, ValueType][] => {
    const kind = kindOf(step);
    if (!kind.isAnswered) return [];
    return [[step.id, kind.outputType(step, configuration, checkOfStep(command, index, configuration))]];
  });
}

/** The types of the variables of a command's result. */
export function checkOfResult(command: CommandContent, configuration: Configuration): TypeCheck {
  return new TypeCheck([...commandVariables(command, configuration)].at(-1) ?? {});
}

/** Problems of the types of a command's expressions: path -> problem. */
export function problemsOfTypes(
  command: CommandContent,
  expressions: Iterable<PlacedExpression>,
  after: Configuration,
): FieldErrors {
  const known = [...commandVariables(command, after)];
  const checks = known.map((variables) => new TypeCheck(variables));
  const ofItems = (command.steps ?? []).map((step, index) => {
    const list = kindOf(step).list?.(step);
    return list === undefined
      ? undefined
      : new TypeCheck({ ...known[index], item: itemTypeOf(list, known[index]) ?? 'any' });
  });
  const problems: FieldErrors = {};
  for (const { path, source, stepsBefore, isCondition, isList, isForEach } of expressions) {
    const check = isForEach ? ofItems[stepsBefore] : checks[stepsBefore];
    let problem = isCondition ? check?.problemOfCondition(source) : check?.problemOf(source);
    if (isList && itemTypeOf(source, known[stepsBefore]) === null) problem ??= 'is not a list';
    if (problem) problems[`content.${path}`] = problem;
  }
  return problems;
}

/** The type of the items of a list that an expression names; null for what is no list. */
function itemTypeOf(source: string, variables: VariableTypes = {}): ValueType | null {
  let type: ValueType | undefined = { fields: variables };
  for (const name of source.trim().split('.')) {
    if (typeof type !== 'object' || !('fields' in type)) return 'any';
    type = Object.hasOwn(type.fields, name) ? type.fields[name] : 'any';
  }
  if (typeof type === 'object' && 'list' in type) return type.list;
  return type === undefined || type === 'any' ? 'any' : null;
}
