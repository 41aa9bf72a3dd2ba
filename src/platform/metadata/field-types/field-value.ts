import { MAX_FIELD_ERRORS, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { FieldContent } from './field-content.ts';
import type { Checked } from './field-type.ts';
import { FIELD_TYPES } from './field-types.ts';
import type { Message } from '../../../foundation/i18n/text.ts';

/**
 * Checks a payload's value against its field, options included. @returns the parameter of SQL; null for no
 * value
 */
export function checkFieldValue(field: FieldContent, value: unknown): Checked {
  const checked = checkJson(field, value);
  const type = FIELD_TYPES[field.type];
  if ('problem' in checked || checked.value === null || !type.toParameter) return checked;
  return { value: type.toParameter(checked.value) };
}

function checkJson(field: FieldContent, value: unknown): Checked {
  if (value === null || value === undefined || (field.required && typeof value === 'string' && value.trim() === '')) {
    return field.required ? { problem: 'is required' } : { value: null };
  }
  const type = FIELD_TYPES[field.type];
  const checked = type.check(value);
  if ('problem' in checked) return checked;
  const problem = type.checkOptions?.(field, checked.value) ?? null;
  return problem === null ? checked : { problem };
}

/**
 * Checks an object against declared fields: the payload of a CUSTOM command, the input of an automation.
 * @param problemOfUnknown what is wrong with a key that is no field
 * @returns the object with defaults, each value in the one form that its type has in JSON; null for no value
 */
export function checkDeclaredFields(
  fields: readonly FieldContent[],
  given: Readonly<Record<string, unknown>>,
  problemOfUnknown: Message,
  errors: FieldErrors,
): Record<string, unknown> {
  const known = new Set(fields.map(({ code }) => code));
  const unknown = Object.keys(given).filter((code) => !known.has(code));
  for (const code of unknown.slice(0, MAX_FIELD_ERRORS)) errors[code] = problemOfUnknown;
  const checked: Record<string, unknown> = {};
  for (const field of fields) {
    const result = checkJson(field, Object.hasOwn(given, field.code) ? given[field.code] : field.default);
    if ('problem' in result) errors[field.code] = result.problem;
    else checked[field.code] = field.fields ? checkItems(field, field.fields, result.value, errors) : result.value;
  }
  return checked;
}

/** The items of a list, each against the fields of its list; what is wrong stands at `items[2].quantity`. */
function checkItems({ code }: FieldContent, fields: readonly FieldContent[], value: unknown, errors: FieldErrors) {
  if (value === null) return null;
  return (value as readonly Readonly<Record<string, unknown>>[]).map((item, index) => {
    const ofItem: FieldErrors = {};
    const checked = checkDeclaredFields(fields, item, 'is not a field of this list', ofItem);
    for (const [key, problem] of Object.entries(ofItem)) errors[`${pathOfItem(code, index)}.${key}`] = problem;
    return checked;
  });
}

/** Where an item of a list in a payload stands. */
export function pathOfItem(code: string, index: number): string {
  return `${code}[${index}]`;
}
