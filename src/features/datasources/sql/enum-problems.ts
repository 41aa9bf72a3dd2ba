import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { problemOfTexts } from '../../../platform/metadata/models/value-fit.ts';
import type { SqlInspection } from './sql-guard.ts';

/** Problems of values that a statement compares an enum with, and that this cannot have: path -> problem. */
export function problemsOfEnums(
  { comparisons, params: bound }: SqlInspection,
  declared: readonly FieldContent[],
  models: ReadonlyMap<string, Model>,
): FieldErrors {
  const problems: FieldErrors = {};
  for (const { name, models: codes, texts, parameters } of comparisons) {
    const field = enumNamed(name, codes, models);
    if (!field) continue;
    for (const each of texts) {
      const problem = problemOfTexts(field, [each]);
      if (problem) problems['content.sql'] ??= problemOfSql(each, field);
    }
    for (const number of parameters) {
      const index = declared.findIndex((param) => param === bound[number - 1]);
      const param = declared[index];
      const given = param && problemsOfParam(param, field);
      for (const [key, problem] of Object.entries(given ?? {})) problems[`content.params.${index}.${key}`] = problem;
    }
  }
  return problems;
}

/** The field that a column is for certain, if it is an enum; with the values of all that it may be. */
function enumNamed(name: string, codes: ReadonlySet<string>, models: ReadonlyMap<string, Model>): FieldContent | null {
  const fields = [...codes].flatMap((code) => models.get(code)?.fields.get(name) ?? []);
  const [first] = fields;
  if (!first?.content || !fields.every(({ type }) => type === 'enum')) return null;
  return { ...first.content, values: [...new Set(fields.flatMap(({ content }) => content?.values ?? []))] };
}

function problemOfSql(value: string, { values = [] }: FieldContent): Message {
  const problem = text('{value} is not one of {values}', { value: JSON.stringify(value), values: values.join(', ') });
  return withSuggestion(problem, value, values);
}

function problemsOfParam({ type, values = [], default: initial }: FieldContent, field: FieldContent): FieldErrors {
  const ofValues = type === 'enum' ? problemOfTexts(field, values) : null;
  if (ofValues) return { values: ofValues };
  const ofDefault = typeof initial === 'string' ? problemOfTexts(field, [initial]) : null;
  return ofDefault ? { default: ofDefault } : {};
}
