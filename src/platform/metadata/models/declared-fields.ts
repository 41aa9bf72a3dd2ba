import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import { optionsOfWritten } from '../field-types/field-options.ts';
import { problemOfPrefix, type Sequence } from '../field-types/sequence.ts';
import type { TypedOption } from '../field-types/field-type.ts';
import { problemsOfTransitions } from '../field-types/transitions.ts';
import { defaultVariableOf } from '../field-types/default-variables.ts';
import { MAX_LIST_ITEMS } from '../field-types/field-types.limits.ts';
import { FIELD_TYPE_NAMES, FIELD_TYPES } from '../field-types/field-types.ts';
import { checkFieldValue } from '../field-types/field-value.ts';
import { toModel, type Reference } from '../resources/resource-type.ts';
import { problemOfPayloadKey, RESERVED_FIELD_CODES } from './model.ts';
import { MAX_INDEXED_CHARACTERS } from './models.limits.ts';
import { problemOfPattern } from '../../../foundation/expressions/values/regular-expression.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';

/** Option -> the types that it means something for; other options fit every type. */
const TYPES_OF_OPTIONS = new Map<TypedOption, string[]>();
for (const type of FIELD_TYPE_NAMES) {
  for (const option of FIELD_TYPES[type].options ?? []) {
    TYPES_OF_OPTIONS.set(option, [...(TYPES_OF_OPTIONS.get(option) ?? []), type]);
  }
}

/** Options that mean something for stored values only. */
const OF_MODELS = ['onDelete', 'transitions', 'renamedFrom', 'accept', 'maxBytes', 'computed', 'sequence'] as const;

/** Keys that declare fields whose values are sent and not stored: these may be lists. */
const SENT: ReadonlySet<string> = new Set(['payload', 'input']);

/**
 * Problems of fields that a model, a command or an automation declares.
 * @param key where in the content they stand
 * @param path the same, of the fields of a list's items
 */
export function problemsOfFields(fields: readonly FieldContent[], key: string, path = `content.${key}`): FieldErrors {
  const problems: FieldErrors = {};
  const seen = new Set<string>();
  fields.forEach((field, index) => {
    const at = `${path}.${index}`;
    if (field.type === 'list' && !SENT.has(key))
      problems[`${at}.type`] = 'is for the payload of a command and the input of an automation';
    if (field.fields) Object.assign(problems, problemsOfFields(field.fields, key, `${at}.fields`));
    if (seen.has(field.code)) problems[`${at}.code`] = 'is used by two fields';
    if (RESERVED_FIELD_CODES.has(field.code)) problems[`${at}.code`] = 'is the code of a system field';
    const ofKey = problemOfPayloadKey(field.code);
    if (ofKey !== null) problems[`${at}.code`] = ofKey;
    for (const option of OF_MODELS) {
      if (field[option] !== undefined && key !== 'fields') problems[`${at}.${option}`] = 'is for the fields of a model';
    }
    if (defaultVariableOf(field) !== null && key !== 'fields' && key !== 'payload') {
      problems[`${at}.default`] = 'a variable is for the fields of a model or a command';
    }
    for (const [option, problem] of problemsOfOptions(field)) problems[`${at}.${option}`] = problem;
    const ofRename = problemOfRename(field, fields);
    if (ofRename !== null) problems[`${at}.renamedFrom`] ??= ofRename;
    seen.add(field.code);
  });
  return problems;
}

/** The models that fields refer to. @param path where in the content the fields stand */
export function targetsOfFields(fields: readonly FieldContent[], path: string): Reference[] {
  return fields.flatMap(({ target, fields: ofItems = [] }, index) => [
    ...(target === undefined ? [] : [toModel(`${path}.${index}.target`, target)]),
    ...targetsOfFields(ofItems, `${path}.${index}.fields`),
  ]);
}

function problemOfRename({ renamedFrom: from }: FieldContent, fields: readonly FieldContent[]): Message | null {
  if (from === undefined) return null;
  if (RESERVED_FIELD_CODES.has(from)) return 'is the code of a system field';
  if (fields.some(({ code }) => code === from)) return text('the model still has a field {from}', { from });
  return fields.filter(({ renamedFrom }) => renamedFrom === from).length > 1 ? 'is used by two fields' : null;
}

function problemsOfLabels({ values = [], labels = {} }: FieldContent): [path: string, problem: Message][] {
  const problem = text('must be one of {values}', { values: values.join(', ') });
  const unknown = Object.keys(labels).filter((value) => !values.includes(value));
  return unknown.map((value) => [`labels.${value}`, withSuggestion(problem, value, values)]);
}

function problemsOfSequence(field: FieldContent, sequence: Sequence): [option: string, problem: Message][] {
  const problems: [string, Message][] = [];
  const ofPrefix = problemOfPrefix(sequence);
  if (field.type !== 'string') problems.push(['sequence', text('is for fields of type {types}', { types: 'string' })]);
  if (ofPrefix !== null) problems.push(['sequence.prefix', ofPrefix]);
  for (const option of ['computed', 'maxLength', 'pattern'] as const) {
    if (field[option] !== undefined) problems.push([option, 'is not for a sequence']);
  }
  return problems;
}

function problemsOfOptions(field: FieldContent): [option: string, problem: Message][] {
  const { type, min, max, unique, indexed } = field;
  const problems: [string, Message][] = [];
  for (const [option, types] of TYPES_OF_OPTIONS) {
    const unset = field[option] === undefined || field[option] === false;
    if (unset || types.includes(type)) continue;
    problems.push([option, text('is for fields of type {types}', { types: types.join(', ') })]);
  }
  if (!FIELD_TYPES[type].comparable) {
    if (unique) problems.push(['unique', text('is not possible for {type}', { type })]);
    if (indexed) problems.push(['indexed', text('is not possible for {type}', { type })]);
  }
  const longest = field.maxLength ?? FIELD_TYPES[type].maxLength ?? 0;
  for (const option of ['unique', 'indexed'] as const) {
    if (!field[option] || longest <= MAX_INDEXED_CHARACTERS) continue;
    problems.push([option, text('needs a maxLength of at most {max}', { max: MAX_INDEXED_CHARACTERS })]);
  }
  const ofPattern = field.pattern === undefined ? null : problemOfPattern(field.pattern, field.maxLength ?? 255);
  if (ofPattern !== null) problems.push(['pattern', ofPattern]);
  if (field.patternMessage !== undefined && field.pattern === undefined)
    problems.push(['patternMessage', 'needs a pattern']);
  for (const option of optionsOfWritten(field)) problems.push([option, 'is not for a field that the platform fills']);
  if (field.sequence) problems.push(...problemsOfSequence(field, field.sequence));
  // A file belongs to one tenant, a model to all of them.
  if ((type === 'file' || type === 'list') && field.default !== undefined)
    problems.push(['default', text('is not possible for {type}', { type })]);
  if (type === 'enum') problems.push(...problemsOfTransitions(field), ...problemsOfLabels(field));
  const { scale = 0, precision } = field;
  if (precision !== undefined && scale > precision)
    problems.push(['scale', text('must not be greater than {max}', { max: precision })]);
  if (field.onDelete === 'setNull' && field.required)
    problems.push(['onDelete', 'a required field cannot lose its value']);
  const { minItems = 0, maxItems = MAX_LIST_ITEMS } = field;
  if (minItems > maxItems) problems.push(['minItems', text('must not be greater than {max}', { max: maxItems })]);
  if (min !== undefined && max !== undefined && min > max) problems.push(['min', 'is greater than max']);
  if (problems.length > 0 || field.default === undefined || defaultVariableOf(field) !== null) return problems;
  const checked = checkFieldValue(field, field.default);
  return 'problem' in checked ? [['default', checked.problem]] : [];
}
