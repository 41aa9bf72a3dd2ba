import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ulid } from 'ulid';
import { isTimeZone, UTC } from '../../src/foundation/time/time-zones.ts';
import type { Message } from '../../src/foundation/i18n/text.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { Model } from '../../src/platform/metadata/models/model.ts';
import {
  checkedSeed,
  type SeedRecord,
  type SeedScope,
  type SeedValues,
} from '../../src/platform/records/seeding/seed-record.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { pidOfRecord, problemOfName, resolved, type DataNames } from './data-names.ts';
import { keysOf, meant, type InitialUsers } from './data-users.ts';
import { problemAt, readSource, syntaxProblems, type Problem, type SourceFile } from './source-file.ts';

/** The environment whose records data are. */
const SEEDED = 'dev';
const OTHER_ENVIRONMENTS = ['staging', 'prod'];

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
  const taken = new Set<string>();
  for (const [tenant, own] of Map.groupBy(given, (each) => each.tenant)) {
    const hasOthers = module !== undefined && !withModule;
    const { timeZone: zone = UTC } = tenants.find((one) => (one.id ?? one.name) === tenant) ?? {};
    // One that is none is told at its place in users.yaml.
    const timeZone = isTimeZone(zone) ? zone : UTC;
    const names = { users: emails, records: pidsIn(own), tenant, timeZone, hasOthers };
    const seen = new Set<string>();
    for (const each of own) {
      const checked = checkedRecords(each, metadata.models.get(each.modelCode), names, { seen, taken });
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
      const { pid } = (record ?? {}) as SeedValues;
      if (typeof pid === 'string') own.add(pid);
    }
  }
  return pids;
}

function checkedRecords(
  given: GivenRecords,
  model: Model | undefined,
  names: DataNames,
  known: Pick<SeedScope, 'seen' | 'taken'>,
) {
  const { modelCode, records, problem } = given;
  const problems: Problem[] = [];
  const found: SeedRecord[] = [];
  if (!model) return { found, problems: [problem('', `there is no model ${modelCode}`)] };
  if (!Array.isArray(records)) return { found, problems: [problem('', 'must be a list of records')] };
  const scope = {
    ...known,
    timeZone: names.timeZone,
    resolve: (field: FieldContent, value: unknown) => resolved(field, value, names),
    problemOfPid: problemOfName,
    pidOf: (code: string, pid: string) => pidOfRecord(names.tenant, code, pid),
    newPid: ulid,
  };
  for (const [index, record] of (records as unknown[]).entries()) {
    const report = (place: string, message: Message) =>
      void problems.push(problem(place === '' ? String(index) : `${index}.${place}`, String(message)));
    const checked = checkedSeed(model, record, scope, report);
    if (checked) found.push(checked);
  }
  return { found, problems };
}
