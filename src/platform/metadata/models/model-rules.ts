import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { TypeCheck } from '../../../foundation/expressions/type-check.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import { FIELD_TYPES, type FieldType } from '../field-types/field-types.ts';
import { checkFieldValue } from '../field-types/field-value.ts';
import type { ModelContent } from './model-content.ts';
import { problemOfComputed } from './computed-problems.ts';
import { isComputed, toModel } from './model.ts';
import { recordCel } from './record-checks.ts';
import { typeOfRecord } from './record-types.ts';
import type { NoOverlap } from './rule-content.ts';
import { RANGES } from './tables/table-rules.ts';

/** Types whose values say nothing to people, or take a second look-up to do so. */
const NAMELESS: readonly FieldType[] = ['boolean', 'json', 'relation', 'user', 'file'];

/** Problems of `displayField`, `uniqueTogether`, `noOverlap`, `checks` and `computed`: path -> problem. */
export function problemsOfRules(content: ModelContent): FieldErrors {
  const problems: FieldErrors = {};
  const fields = new Map(content.fields.map((field) => [field.code, field]));
  const report = (path: string, problem: Message | null): void => {
    if (problem !== null) problems[`content.${path}`] = problem;
  };
  report('displayField', problemOfDisplayField(fields, content.displayField));
  for (const [index, codes] of (content.uniqueTogether ?? []).entries()) {
    for (const [place, code] of codes.entries()) report(`uniqueTogether.${index}.${place}`, problemOfKey(fields, code));
  }
  for (const [index, rule] of (content.noOverlap ?? []).entries()) {
    for (const [key, problem] of problemsOfOverlap(rule, fields)) report(`noOverlap.${index}.${key}`, problem);
  }
  const check = new TypeCheck({ record: typeOfRecord(toModel('dev', 'model', content)) });
  for (const [index, { assert, reason, fields: shown = [] }] of (content.checks ?? []).entries()) {
    report(`checks.${index}.assert`, recordCel.problemOf(assert) ?? check.problemOfCondition(assert));
    if (reason !== undefined && shown.length > 0) report(`checks.${index}.reason`, 'stands without fields');
    for (const [place, code] of shown.entries())
      report(`checks.${index}.fields.${place}`, problemOfField(fields, code));
  }
  for (const [index, field] of content.fields.entries()) {
    if (isComputed(field)) report(`fields.${index}.computed`, problemOfComputed(field, content.fields, check));
  }
  return problems;
}

type Fields = ReadonlyMap<string, FieldContent>;

function problemOfField(fields: Fields, code: string): Message | null {
  if (fields.has(code)) return null;
  const problem = text('is not a field; its fields are {fields}', { fields: [...fields.keys()].join(', ') });
  return withSuggestion(problem, code, fields.keys());
}

function problemOfDisplayField(fields: Fields, code: string | undefined): Message | null {
  if (code === undefined) return null;
  const type = fields.get(code)?.type;
  if (type === undefined) return problemOfField(fields, code);
  return NAMELESS.includes(type) ? text('is not possible for {type}', { type }) : null;
}

/** What the author should know of the field that names records: path -> warning. */
export function warningsOfDisplayField({ fields, displayField }: ModelContent): FieldErrors {
  const field = fields.find(({ code }) => code === displayField);
  const isUnsearchable = (field?.type === 'string' || field?.type === 'text') && !field.searchable;
  return isUnsearchable ? { 'content.displayField': 'is not searchable: a keyword finds no record by it' } : {};
}

/** Of a field whose value takes part in an index. */
function problemOfKey(fields: Fields, code: string): Message | null {
  const type = fields.get(code)?.type;
  if (type === undefined) return problemOfField(fields, code);
  return FIELD_TYPES[type].comparable ? null : text('is not possible for {type}', { type });
}

function* problemsOfOverlap(rule: NoOverlap, fields: Fields): Iterable<[key: string, problem: Message | null]> {
  for (const [place, code] of (rule.fields ?? []).entries()) yield [`fields.${place}`, problemOfKey(fields, code)];
  const [from, to] = [fields.get(rule.from), fields.get(rule.to)];
  yield ['from', problemOfField(fields, rule.from)];
  yield ['to', problemOfField(fields, rule.to)];
  if (from && !RANGES[from.type])
    yield ['from', text('is for fields of type {types}', { types: Object.keys(RANGES).join(', ') })];
  else if (from && to && from.type !== to.type) yield ['to', text('is not of type {type}', { type: from.type })];
  for (const [place, { fieldName, operator, value }] of (rule.where ?? []).entries()) {
    const field = fields.get(fieldName);
    if (!field) {
      yield [`where.${place}.fieldName`, problemOfField(fields, fieldName)];
      continue;
    }
    const isList = operator === 'in' || operator === 'not_in';
    if (isList !== Array.isArray(value) || (Array.isArray(value) && value.length === 0)) {
      yield [`where.${place}.value`, isList ? 'must be a list of values' : 'must be one value'];
      continue;
    }
    for (const each of [value].flat()) {
      const checked = checkFieldValue({ ...field, required: true }, each);
      if ('problem' in checked) yield [`where.${place}.value`, checked.problem];
    }
  }
}
