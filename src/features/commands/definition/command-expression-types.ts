import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { TypeCheck, type ValueType, type VariableTypes } from '../../../foundation/expressions/type-check.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfFields, typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import { isNoList } from '../../../platform/metadata/models/value-fit.ts';
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

/** The types of the variables of a command's expressions. */
interface CommandChecks {
  /** After so many steps; the last one is that of the result. */
  readonly after: readonly TypeCheck[];
  /** Of each step's own expressions: one with a list reads the items of that, too. */
  readonly ofSteps: readonly TypeCheck[];
}

export function checksOf(command: CommandContent, configuration: Configuration): CommandChecks {
  const known = [...commandVariables(command, configuration)];
  const after = known.map((variables) => new TypeCheck(variables));
  const ofSteps = (command.steps ?? []).map((step, index) => {
    const check = after[index] ?? new TypeCheck({});
    const list = kindOf(step).list?.(step);
    return list === undefined ? check : new TypeCheck({ ...known[index], item: itemTypeOf(list, check) });
  });
  return { after, ofSteps };
}

/** The types of a step's variables. */
export function checkOfStep(command: CommandContent, index: number, configuration: Configuration): TypeCheck {
  return checksOf(command, configuration).ofSteps[index] ?? new TypeCheck({});
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
  expressions: Iterable<PlacedExpression>,
  { after, ofSteps }: CommandChecks,
): FieldErrors {
  const problems: FieldErrors = {};
  for (const { path, source, stepsBefore, isCondition, isList, isForEach } of expressions) {
    const check = isForEach ? ofSteps[stepsBefore] : after[stepsBefore];
    let problem = isCondition ? check?.problemOfCondition(source) : check?.problemOf(source);
    if (isList && check?.possibleValuesOf(source).values.some(isNoList)) problem ??= 'is not a list';
    if (problem) problems[`content.${path}`] = problem;
  }
  return problems;
}

/** The type of the items of a list. */
function itemTypeOf(source: string, check: TypeCheck): ValueType {
  const type = check.valueTypeOf(source);
  return typeof type === 'object' && 'list' in type ? type.list : 'any';
}
