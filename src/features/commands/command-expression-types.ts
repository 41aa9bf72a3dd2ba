import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { literalOf } from '../../foundation/expressions/literal.ts';
import type { Message } from '../../foundation/i18n/text.ts';
import type { FieldContent } from '../../platform/metadata/field-types/field-content.ts';
import { TypeCheck, type ValueType, type VariableTypes } from '../../foundation/expressions/type-check.ts';
import { checkFieldValue } from '../../platform/metadata/field-types/field-value.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { typeOfFields, typeOfPayload, typeOfRecord } from '../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';

/** The variables of a command's expressions after each of its steps, from before the first one on. */
function* commandVariables(command: CommandContent, after: Configuration): Iterable<VariableTypes> {
  const { modelCode, operations, target, payload = [], steps = [] } = command;
  const model = after.find(MODEL, modelCode);
  const isCustom = operations.includes('CUSTOM');
  const hasRecord = isCustom ? target === true : operations.some((operation) => operation !== 'CREATE');
  const writes: ValueType = model ? typeOfPayload(model) : 'any';
  const fixed = {
    payload: isCustom ? typeOfFields(payload) : writes,
    record: hasRecord && model ? typeOfRecord(model) : 'any',
    actor: { fields: { pid: 'text', username: 'text', tenantId: 'text' } },
    now: 'time',
  } as const;
  const written: Record<string, ValueType> = {};
  yield { ...fixed, steps: { fields: { ...written } } };
  for (const step of steps) {
    const of = after.find(MODEL, step.modelCode);
    written[step.id] = of ? typeOfRecord(of) : 'any';
    yield { ...fixed, steps: { fields: { ...written } } };
  }
}

/** What the expressions of a command's result may read. */
export function checkOfResult(command: CommandContent, configuration: Configuration): TypeCheck {
  return new TypeCheck([...commandVariables(command, configuration)].at(-1) ?? {});
}

/**
 * What is wrong with the types of a command's expressions, and with the values that its steps write: path ->
 * problem.
 */
export function problemsOfTypes(
  command: CommandContent,
  expressions: Iterable<{ readonly path: string; readonly source: string; readonly stepsBefore: number }>,
  after: Configuration,
): FieldErrors {
  const checks = [...commandVariables(command, after)].map((variables) => new TypeCheck(variables));
  const problems: FieldErrors = {};
  for (const { path, source, stepsBefore } of expressions) {
    const problem = checks[stepsBefore]?.problemOf(source);
    if (problem) problems[`content.${path}`] = problem;
  }
  for (const [index, { modelCode, values = {} }] of (command.steps ?? []).entries()) {
    const fields = after.find(MODEL, modelCode)?.fields;
    for (const [code, source] of Object.entries(values)) {
      const problem = problemOfLiteral(fields?.get(code)?.content, source);
      if (problem) problems[`content.steps.${index}.values.${code}`] = problem;
    }
  }
  return problems;
}

/** Problem of an expression that is a value by itself, and one that the field cannot have; null for any other. */
export function problemOfLiteral(field: FieldContent | null | undefined, source: string): Message | null {
  const literal = field ? literalOf(source) : null;
  const checked = field && literal ? checkFieldValue(field, literal.value) : null;
  return checked && 'problem' in checked ? checked.problem : null;
}
