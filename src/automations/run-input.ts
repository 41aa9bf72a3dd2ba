import type { FieldErrors } from '../errors/application-error.ts';
import type { AutomationContent } from '../metadata/automation-content.ts';
import { checkFieldValue } from '../metadata/field-value.ts';

/** What a run is given, checked against what its automation declares, with defaults. @param errors collects by field */
export function checkInput(
  { input: fields = [] }: AutomationContent,
  given: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): Record<string, unknown> {
  for (const code of Object.keys(given)) {
    if (!fields.some((field) => field.code === code)) errors[code] = 'is not an input of this automation';
  }
  const checked: Record<string, unknown> = {};
  for (const field of fields) {
    const value = Object.hasOwn(given, field.code) ? given[field.code] : field.default;
    const result = checkFieldValue(field, value);
    if ('problem' in result) errors[field.code] = result.problem;
    // Expressions read JSON as it came: its checked form is the text of a column.
    else checked[field.code] = field.type === 'json' ? (value ?? null) : result.value;
  }
  return checked;
}
