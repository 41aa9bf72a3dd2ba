import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { quoted, text, type Message } from '../../../foundation/i18n/text.ts';
import { parseIsoDatetime } from '../../../foundation/validation/iso-datetime.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { defaultVariableOf, valueOfVariable } from '../../metadata/field-types/default-variables.ts';
import type { FieldContent } from '../../metadata/field-types/field-content.ts';
import { checkFieldValue } from '../../metadata/field-types/field-value.ts';
import { computedValues } from '../../metadata/models/computed-values.ts';
import { declaredFields, writableFields, type Model } from '../../metadata/models/model.ts';
import { checkRecords } from '../writing/record-checks.ts';

export type SeedValues = Readonly<Record<string, unknown>>;

/** A record whose system fields are given: `pid`, and `created_at` where it was not made just now. */
export type SeedRecord = SeedValues & { readonly pid: string; readonly created_at?: string };

/** A value as it is stored, or its problem. */
export type Resolved = { readonly value: unknown } | { readonly problem: Message };

/** What the records of one tenant may name, and where its days begin. */
export interface SeedScope {
  readonly timeZone: string;
  /** Values of unique fields, and pids, of the tenant so far. */
  readonly seen: Set<string>;
  /** Pids of records of all tenants so far. */
  readonly taken: Set<string>;
  /** What a value stands for. */
  resolve(field: FieldContent, value: unknown): Resolved;
  problemOfPid(pid: unknown): Message | null;
  pidOf(modelCode: string, pid: string): string;
  /** For a record that names none. */
  newPid(): string;
}

const OWN_KEYS = ['pid', 'created_at'];

/**
 * Checks a record as the service checks a payload.
 * @param report gets a place such as `status`, and its problem
 */
export function checkedSeed(
  model: Model,
  record: unknown,
  scope: SeedScope,
  report: (place: string, problem: Message) => void,
): SeedRecord | null {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    report('', 'must be a record');
    return null;
  }
  let isGood = true;
  const checked = valuesOf(model, record as SeedValues, scope, (place, problem) => {
    isGood = false;
    report(place, problem);
  });
  if (isGood) reportBroken(model, checked, report);
  return checked;
}

function valuesOf(
  model: Model,
  record: SeedValues,
  scope: SeedScope,
  report: (place: string, problem: Message) => void,
): SeedRecord {
  const fields = writableFields(model);
  const codes = fields.map(({ code }) => code);
  for (const key of Object.keys(record)) {
    if (!codes.includes(key) && model.fields.get(key)?.content) report(key, 'is set by the platform');
    else if (!codes.includes(key) && !OWN_KEYS.includes(key)) {
      const problem = text('is not a field of {model}', { model: model.code });
      report(key, withSuggestion(problem, key, [...codes, ...OWN_KEYS]));
    }
  }
  const once = (code: string, value: unknown) => {
    const written = JSON.stringify(value);
    const key = JSON.stringify([model.code, code, value]);
    if (scope.seen.has(key)) report(code, text('is unique, and an earlier record has {value}', { value: written }));
    scope.seen.add(key);
  };
  const { pid = scope.newPid(), created_at: createdAt } = record;
  const wrongName = scope.problemOfPid(pid);
  if (wrongName !== null) report('pid', wrongName);
  else if (record.pid !== undefined) {
    const [key, before] = [JSON.stringify([model.code, scope.pidOf(model.code, String(pid))]), scope.seen.size];
    once('pid', pid);
    if (scope.seen.size > before && scope.taken.has(key))
      report('pid', 'is that of a record of another tenant: a name with a hyphen, such as cust-alice, is not');
    scope.taken.add(key);
  }
  const isTime = typeof createdAt === 'string' && parseIsoDatetime(createdAt) !== null;
  if (createdAt !== undefined && !isTime)
    report('created_at', 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z');
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const given = Object.hasOwn(record, field.code) ? record[field.code] : defaultOf(field, scope.timeZone);
    const found = scope.resolve(field, given);
    const checked = 'problem' in found ? found : checkFieldValue(field, found.value);
    if ('problem' in checked) report(field.code, checked.problem);
    else if (given !== undefined) values[field.code] = 'value' in found ? found.value : null;
    if (field.unique && given !== undefined && given !== null) once(field.code, given);
  }
  return { ...values, pid: scope.pidOf(model.code, String(pid)), ...(isTime && { created_at: createdAt }) };
}

/** Conditions of the model that the record breaks. */
function reportBroken(model: Model, record: SeedRecord, report: (place: string, problem: Message) => void): void {
  const empty = Object.fromEntries(declaredFields(model).map(({ code }) => [code, null]));
  try {
    const { values, problems } = computedValues(model, { ...empty, ...record });
    for (const [code, problem] of Object.entries(problems)) report(code, problem);
    if (Object.keys(problems).length === 0)
      checkRecords(model, [{ ...empty, ...record, ...Object.fromEntries(values) }]);
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    const [field = ''] = Object.keys(error.data?.fieldErrors ?? {});
    report(Object.hasOwn(empty, field) ? field : '', quoted(error.message));
  }
}

/** The record has no creator: the variable of that person has no value. */
function defaultOf(field: FieldContent, timeZone: string): unknown {
  const variable = defaultVariableOf(field);
  if (variable === null) return field.default;
  return variable === '$user.pid' ? undefined : valueOfVariable(variable, { userPid: '', timeZone });
}
