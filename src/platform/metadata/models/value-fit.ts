import type { PossibleValue, TypeCheck, ValueType } from '../../../foundation/expressions/type-check.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { closestOf } from '../../../foundation/validation/similar.ts';
import { SAMPLE_TIME } from '../field-types/datetime.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import type { FieldTypeDefinition } from '../field-types/field-type.ts';
import { FIELD_TYPES } from '../field-types/field-types.ts';
import { checkFieldValue } from '../field-types/field-value.ts';
import { SAMPLE_PID } from '../field-types/pid-values.ts';

const DAY = SAMPLE_TIME.slice(0, 10);

/**
 * Values of each type of expression, in the form in which fields get them: a type of which none fits a field
 * never does.
 */
const SAMPLES = {
  text: ['text', DAY, SAMPLE_TIME, '1', SAMPLE_PID],
  number: [1, 1.5],
  decimal: ['1', '1.5'],
  boolean: [true],
  date: [DAY],
  time: [SAMPLE_TIME],
  duration: [{}],
  pid: [SAMPLE_PID],
  list: [[], [{}]],
  object: [{}],
} as const satisfies Record<string, readonly unknown[]>;
type SampledType = keyof typeof SAMPLES;

/** A relation to a model, as what names one of its records. */
export function recordOfModel(modelCode: string): FieldContent {
  return { ...WANTED.record, target: modelCode };
}

/** What an expression may have to give where no field gets it. */
export const WANTED = {
  record: { code: 'pid', name: 'pid', type: 'relation' },
  text: { code: 'text', name: 'text', type: 'text' },
  day: { code: 'day', name: 'day', type: 'date' },
  moment: { code: 'moment', name: 'moment', type: 'datetime' },
} as const satisfies Record<string, FieldContent>;

/** The problem of an expression whose value a field gets: a type or a value that the field cannot have. */
export function problemOfFit(field: FieldContent | null | undefined, source: string, check: TypeCheck): Message | null {
  if (!field) return null;
  const { values } = check.possibleValuesOf(source);
  if (source.trim() === 'null') return problemOfLiteral(field, null);
  return firstOf(values, (value) => problemOfValue(field, value));
}

/** The problem of one of the values that an expression may give, which a field cannot have. */
export function problemOfValue(field: FieldContent, value: PossibleValue): Message | null {
  return 'literal' in value ? problemOfLiteral(field, value.literal) : problemOfType(field, value.type);
}

function problemOfLiteral(field: FieldContent, literal: unknown): Message | null {
  const checked = checkFieldValue(field, literal);
  return 'problem' in checked ? checked.problem : null;
}

function problemOfType(field: FieldContent, type: ValueType): Message | null {
  if (typeof type === 'object' && ('oneOf' in type || 'written' in type)) {
    return problemOfTexts(field, 'oneOf' in type ? type.oneOf : type.written);
  }
  if (typeof type === 'object' && 'pidOf' in type && field.target !== undefined && field.target !== type.pidOf) {
    return text('is the pid of a {given}, not of a {wanted}', { given: type.pidOf, wanted: field.target });
  }
  const name = sampledTypeOf(type);
  if (name === null) return null;
  const problem = problemOfSamples(FIELD_TYPES[field.type], SAMPLES[name]);
  return problem && text('says {type}: {problem}', { type: name, problem });
}

/** Texts of which the field must have at least one, and no other that looks like one of its own. */
export function problemOfTexts(field: FieldContent, texts: readonly string[]): Message | null {
  const { type, values = [] } = field;
  const mistyped = texts.find((each) => {
    const meant = type !== 'enum' || values.includes(each) ? null : closestOf(each, values);
    return meant !== null && !texts.includes(meant);
  });
  if (mistyped !== undefined) return problemOfLiteral(field, mistyped);
  const problems = texts.flatMap((each) => problemOfLiteral({ ...field, required: false }, each) ?? []);
  const [first = null] = problems;
  return problems.length === texts.length ? first : null;
}

function problemOfSamples(type: FieldTypeDefinition, samples: readonly unknown[]): Message | null {
  let problem: Message | null = null;
  for (const sample of samples) {
    const checked = type.check(sample);
    if (!('problem' in checked)) return null;
    problem ??= checked.problem;
  }
  return problem;
}

function sampledTypeOf(type: ValueType): SampledType | null {
  if (type === 'any') return null;
  if (typeof type === 'string') return type;
  if ('list' in type) return 'list';
  if ('fields' in type) return 'object';
  if ('pidOf' in type) return 'pid';
  return 'like' in type ? (type.like === 'number' ? 'decimal' : type.like) : null;
}

/** Whether a value is known to be no list. */
export function isNoList(value: PossibleValue): boolean {
  if ('literal' in value) return true;
  const { type } = value;
  return type !== 'any' && (typeof type === 'string' || !('list' in type));
}

function firstOf<T>(items: readonly T[], problemOf: (item: T) => Message | null): Message | null {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== null) return problem;
  }
  return null;
}
