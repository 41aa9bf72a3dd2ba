import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ulid } from 'ulid';
import { isTimeZone, UTC } from '../../src/foundation/time/time-zones.ts';
import { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import { parseIsoDatetime } from '../../src/foundation/validation/iso-datetime.ts';
import { checkFieldValue } from '../../src/platform/metadata/field-types/field-value.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { defaultVariableOf, valueOfVariable } from '../../src/platform/metadata/field-types/default-variables.ts';
import { declaredFields, writableFields, type Model } from '../../src/platform/metadata/models/model.ts';
import { computedValues } from '../../src/platform/metadata/models/computed-values.ts';
import { checkRecords } from '../../src/platform/records/writing/record-checks.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { pidOfRecord, problemOfName, resolved, type DataNames } from './data-names.ts';
import { keysOf, meant, type InitialUsers } from './data-users.ts';
import { problemAt, readSource, syntaxProblems, type Problem, type SourceFile } from './source-file.ts';

/** The environment whose records data are. */
const SEEDED = 'dev';
const OTHER_ENVIRONMENTS = ['staging', 'prod'];

type Values = Readonly<Record<string, unknown>>;

/** A record whose system fields are given: `pid`, and `created_at` where it was not made just now. */
export type SeedRecord = Values & { readonly pid: string; readonly created_at?: string };

/** Records of one model and one tenant, and the file that they come from. */
export interface InitialRecords {
  readonly file: string;
  /** As users name it. */
  readonly tenant: string;
  readonly modelCode: string;
  readonly records: readonly SeedRecord[];
}

/** Records as they are given: by a file, or by a module for one tenant. */
interface GivenRecords {
  readonly file: string;
  readonly tenant: string;
  readonly modelCode: string;
  readonly records: unknown;
  /** A problem at a place such as `3.status`. */
  readonly problem: (place: string, message: string) => Problem;
}

interface Found<T> {
  readonly found: readonly T[];
  readonly problems: readonly Problem[];
}

/**
 * The records that an application begins with: `data/records/<model>.yaml` for its first tenant,
 * `data/<tenant>/records/<model>.yaml` for any, the same below `data/dev`, and what `data/records.ts` makes.
 * @param withModule whether that is asked, which runs it
 */
export async function readRecords(
  directory: string,
  metadata: Snapshot,
  { tenants, users }: Pick<InitialUsers, 'tenants' | 'users'>,
  withModule: boolean,
): Promise<{ readonly records: readonly InitialRecords[]; readonly problems: readonly Problem[] }> {
  const keys = keysOf(tenants);
  const module = ['ts', 'mjs'].map((end) => join(directory, 'data', `records.${end}`)).find((one) => existsSync(one));
  const listed = await listedRecords(join(directory, 'data'), keys);
  const made = module !== undefined && withModule ? await madeRecords(module, keys) : { found: [], problems: [] };
  const given = [...listed.found, ...made.found];
  const emails = users.map(({ email }) => email.toLowerCase());
  const problems = [...listed.problems, ...made.problems];
  const records: InitialRecords[] = [];
  for (const [tenant, own] of Map.groupBy(given, (each) => each.tenant)) {
    const hasOthers = module !== undefined && !withModule;
    const { timeZone: zone = UTC } = tenants.find((one) => (one.id ?? one.name) === tenant) ?? {};
    // One that is none is told at its place in users.yaml.
    const timeZone = isTimeZone(zone) ? zone : UTC;
    const names = { users: emails, records: pidsIn(own), tenant, timeZone, hasOthers };
    const seen = new Set<string>();
    for (const each of own) {
      const checked = checkedRecords(each, metadata.models.get(each.modelCode), names, seen);
      problems.push(...checked.problems);
      records.push({ ...each, records: checked.found });
    }
  }
  return { records, problems };
}

/** The lists of records below a folder of data. */
async function listedRecords(
  folder: string,
  tenants: readonly string[],
  isInner = false,
): Promise<Found<GivenRecords>> {
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : [];
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  const all = await Promise.all(
    names.map((name): Promise<Found<GivenRecords>> => {
      const path = join(folder, name);
      const [first] = tenants;
      if (tenants.includes(name)) return filesOf(join(path, 'records'), name);
      if (name === 'records' && first !== undefined) return filesOf(path, first);
      if (name === SEEDED && !isInner) return listedRecords(path, tenants, true);
      return Promise.resolve({ found: [], problems: [problemOfFolder(path, name, tenants)] });
    }),
  );
  return { found: all.flatMap(({ found }) => found), problems: all.flatMap(({ problems }) => problems) };
}

function problemOfFolder(path: string, name: string, tenants: readonly string[]): Problem {
  let message = meant(`${name} is none of the tenants`, name, [...tenants, SEEDED, 'records']);
  if (name === 'records') message = 'data/users.yaml has no tenant whose records these are';
  if (OTHER_ENVIRONMENTS.includes(name)) message = `${name} gets no records from files: only ${SEEDED} does`;
  return { file: relative(process.cwd(), path) || path, line: 1, column: 1, severity: 'error', message };
}

async function filesOf(folder: string, tenant: string): Promise<Found<GivenRecords>> {
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort() : [];
  const found: GivenRecords[] = [];
  const problems: Problem[] = [];
  for (const name of names) {
    const source: SourceFile = await readSource(join(folder, name));
    const wrong = syntaxProblems(source);
    problems.push(...wrong);
    if (wrong.length > 0) continue;
    const problem = (place: string, message: string) => problemAt(source, place, `${place} ${message}`.trim());
    const records: unknown = source.document.toJS() ?? [];
    found.push({ file: source.file, tenant, modelCode: basename(name, '.yaml'), records, problem });
  }
  return { found, problems };
}

/** `data/records.ts` (or `.mjs`): makes the records of one tenant, model code -> records. */
interface RecordsModule {
  readonly default: (tenantKey: string, now: Date) => Iterable<[string, readonly SeedRecord[]]>;
}

async function madeRecords(path: string, tenants: readonly string[]): Promise<Found<GivenRecords>> {
  const file = relative(process.cwd(), path);
  const at = (message: string, line = 1, column = 1): Problem => ({ file, line, column, severity: 'error', message });
  const problem = (place: string, message: string) => at(`${place} ${message}`.trim());
  try {
    const { default: make } = (await import(pathToFileURL(path).href)) as Partial<RecordsModule>;
    if (typeof make !== 'function')
      return { found: [], problems: [at('its default export must be a function that makes records')] };
    const now = new Date();
    const found = tenants.flatMap((tenant) =>
      [...make(tenant, now)].map(([modelCode, records]) => ({ file, tenant, modelCode, records, problem })),
    );
    return { found, problems: [] };
  } catch (error) {
    const { message, stack = '' } = error as Error;
    const [, line = '1', column = '1'] = /^:(\d+):(\d+)/.exec(stack.split(path)[1] ?? '') ?? [];
    return { found: [], problems: [at(message, Number(line), Number(column))] };
  }
}

function pidsIn(given: readonly GivenRecords[]): ReadonlyMap<string, ReadonlySet<string>> {
  const pids = new Map<string, Set<string>>();
  for (const { modelCode, records } of given) {
    const own = pids.get(modelCode) ?? new Set<string>();
    pids.set(modelCode, own);
    for (const record of Array.isArray(records) ? records : []) {
      const { pid } = (record ?? {}) as Values;
      if (typeof pid === 'string') own.add(pid);
    }
  }
  return pids;
}

/** @param seen values of unique fields, and pids, of the tenant so far */
function checkedRecords(given: GivenRecords, model: Model | undefined, names: DataNames, seen: Set<string>) {
  const { modelCode, records, problem } = given;
  const problems: Problem[] = [];
  const found: SeedRecord[] = [];
  if (!model) return { found, problems: [problem('', `there is no model ${modelCode}`)] };
  if (!Array.isArray(records)) return { found, problems: [problem('', 'must be a list of records')] };
  for (const [index, record] of (records as unknown[]).entries()) {
    const report = (place: string, message: string) =>
      void problems.push(problem(place === '' ? String(index) : `${index}.${place}`, message));
    const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
    if (!isRecord) report('', 'must be a record');
    else {
      const before = problems.length;
      const checked = checkedRecord(model, record as Values, names, seen, report);
      found.push(checked);
      if (problems.length === before) reportBroken(model, checked, report);
    }
  }
  return { found, problems };
}

const OWN_KEYS = ['pid', 'created_at'];

function checkedRecord(
  model: Model,
  record: Values,
  names: DataNames,
  seen: Set<string>,
  report: (place: string, message: string) => void,
): SeedRecord {
  const fields = writableFields(model);
  const codes = fields.map(({ code }) => code);
  for (const key of Object.keys(record)) {
    if (!codes.includes(key) && model.fields.get(key)?.content) report(key, 'is set by the platform');
    else if (!codes.includes(key) && !OWN_KEYS.includes(key))
      report(key, meant(`is not a field of ${model.code}`, key, [...codes, ...OWN_KEYS]));
  }
  const once = (code: string, value: unknown) => {
    const key = JSON.stringify([model.code, code, value]);
    if (seen.has(key)) report(code, `is unique, and an earlier record has ${JSON.stringify(value)}`);
    seen.add(key);
  };
  const { pid = ulid(), created_at: createdAt } = record;
  const wrongName = problemOfName(pid);
  if (wrongName !== null) report('pid', wrongName);
  else if (record.pid !== undefined) once('pid', pid);
  const isTime = typeof createdAt === 'string' && parseIsoDatetime(createdAt) !== null;
  if (createdAt !== undefined && !isTime) report('created_at', 'must be an ISO 8601 time');
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const given = Object.hasOwn(record, field.code) ? record[field.code] : defaultOf(field, names.timeZone);
    const found = resolved(field, given, names);
    const checked = 'problem' in found ? found : checkFieldValue(field, found.value);
    if ('problem' in checked) report(field.code, String(checked.problem));
    else if (given !== undefined) values[field.code] = 'value' in found ? found.value : null;
    if (field.unique && given !== undefined && given !== null) once(field.code, given);
  }
  return {
    ...values,
    pid: pidOfRecord(names.tenant, model.code, String(pid)),
    ...(isTime && { created_at: createdAt }),
  };
}

/** Conditions of the model that the record breaks. */
function reportBroken(model: Model, record: SeedRecord, report: (place: string, message: string) => void): void {
  const empty = Object.fromEntries(declaredFields(model).map(({ code }) => [code, null]));
  try {
    const { values, problems } = computedValues(model, { ...empty, ...record });
    for (const [code, problem] of Object.entries(problems)) report(code, String(problem));
    if (Object.keys(problems).length === 0)
      checkRecords(model, [{ ...empty, ...record, ...Object.fromEntries(values) }]);
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    const [field = ''] = Object.keys(error.data?.fieldErrors ?? {});
    report(Object.hasOwn(empty, field) ? field : '', error.message);
  }
}

/** The record has no creator: the variable of that person has no value. */
function defaultOf(field: FieldContent, timeZone: string): unknown {
  const variable = defaultVariableOf(field);
  if (variable === null) return field.default;
  return variable === '$user.pid' ? undefined : valueOfVariable(variable, { userPid: '', timeZone });
}
