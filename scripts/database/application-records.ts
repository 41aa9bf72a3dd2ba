import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ulid } from 'ulid';
import { requireNoProblems } from '../../cli/app/application-files.ts';
import { Failure } from '../../cli/outcome.mjs';
import { problemAt, readSource, syntaxProblems, type Problem, type SourceFile } from '../../cli/app/source-file.ts';
import type { SeedRecord } from './insert-records.ts';
import { isPid } from '../../src/foundation/database/pid.ts';
import { checkFieldValue } from '../../src/platform/metadata/field-types/field-value.ts';
import type { Model } from '../../src/platform/metadata/models/model.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';

/**
 * `data/records.ts` (or `.mjs`): makes the records of one tenant, model code -> records. The tenant is named
 * as in `users.yaml`.
 */
interface RecordsModule {
  readonly default: (tenantKey: string, now: Date) => Iterable<[string, readonly SeedRecord[]]>;
}

/** Records of one model, and the file that they come from. */
export interface InitialRecords {
  readonly file: string;
  readonly modelCode: string;
  readonly records: readonly SeedRecord[];
}

/**
 * The records of one tenant that an application begins with: those of `data/records/<model>.yaml` for its
 * first tenant, and those that `data/records.ts` makes.
 * @throws Failure with the places of what is wrong
 */
export async function recordsOf(
  directory: string,
  metadata: Snapshot,
  tenant: { readonly key: string; readonly isFirst: boolean },
): Promise<readonly InitialRecords[]> {
  const listed = tenant.isFirst ? await listedRecords(join(directory, 'data', 'records'), metadata) : [];
  const path = ['ts', 'mjs'].map((end) => join(directory, 'data', `records.${end}`)).find((one) => existsSync(one));
  if (path === undefined) return listed;
  return [...listed, ...(await madeRecords(path, metadata, tenant.key))];
}

/** @throws Failure with the file, and where the module fails the line */
async function madeRecords(path: string, metadata: Snapshot, tenantKey: string): Promise<InitialRecords[]> {
  const file = relative(process.cwd(), path);
  try {
    const { default: make } = (await import(pathToFileURL(path).href)) as Partial<RecordsModule>;
    if (typeof make !== 'function') throw new TypeError('its default export must be a function that makes records');
    const made = [...make(tenantKey, new Date())].map(([modelCode, records]) => ({ file, modelCode, records }));
    const problems = made.flatMap(({ modelCode, records }) =>
      problemsOfRecords(modelCode, metadata.models.get(modelCode), records),
    );
    if (problems.length > 0) {
      throw new Failure(problems.map(({ place, message }) => `${file}: ${place} ${message}`).join('\n'));
    }
    return made;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { message, stack = '' } = error as Error;
    const at = stack.split(path)[1] ?? '';
    throw new Failure(`${file}${/^(:\d+)+/.exec(at)?.[0] ?? ''}: ${message}`);
  }
}

async function listedRecords(folder: string, metadata: Snapshot): Promise<InitialRecords[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const all: InitialRecords[] = [];
  for (const name of names) {
    const source = await readSource(join(folder, name));
    requireNoProblems(syntaxProblems(source));
    const code = basename(name, '.yaml');
    const model = metadata.models.get(code);
    const listed = (source.document.toJS() ?? []) as Record<string, unknown>[];
    requireNoProblems(problemsIn(source, code, model, listed));
    const records = listed.map((record) => ({ pid: ulid(), ...defaultsOf(model), ...record }));
    all.push({ file: source.file, modelCode: code, records });
  }
  return all;
}

function problemsIn(source: SourceFile, code: string, model: Model | undefined, records: unknown): Problem[] {
  return problemsOfRecords(code, model, records).map(({ place, message }) =>
    problemAt(source, place, `${place} ${message}`.trim()),
  );
}

interface RecordProblem {
  /** Such as `3.status`. */
  readonly place: string;
  readonly message: string;
}

/** What would not be taken, as an endpoint judges it; whether related records are there is left to no one. */
function problemsOfRecords(code: string, model: Model | undefined, records: unknown): RecordProblem[] {
  if (!model) return [{ place: '', message: `there is no model ${code}` }];
  if (!Array.isArray(records)) return [{ place: '', message: 'must be a list of records' }];
  const seen = new Set<string>();
  return records.flatMap((record: unknown, index) =>
    typeof record === 'object' && record !== null
      ? [...problemsOfRecord(model, record as SeedValues), ...takenIn(seen, model, record as SeedValues)].map(
          (problem) => ({
            ...problem,
            place: `${index}.${problem.place}`,
          }),
        )
      : [{ place: String(index), message: 'must be a record' }],
  );
}

type SeedValues = Readonly<Record<string, unknown>>;

/** The values of unique fields that an earlier record has. */
function takenIn(seen: Set<string>, model: Model, record: SeedValues): RecordProblem[] {
  return [...model.fields.values()].flatMap(({ code, content }) => {
    const value = record[code];
    if (content?.unique !== true || value === undefined || value === null) return [];
    const key = JSON.stringify([code, value]);
    if (seen.has(key))
      return [{ place: code, message: `is unique, and an earlier record has ${JSON.stringify(value)}` }];
    seen.add(key);
    return [];
  });
}

function problemsOfRecord(model: Model, record: SeedValues): RecordProblem[] {
  const own = ['pid', 'created_at'];
  const unknown = Object.keys(record).filter((name) => !own.includes(name) && !model.fields.get(name)?.content);
  const isNoPid = record.pid !== undefined && (typeof record.pid !== 'string' || !isPid(record.pid));
  const values = [...model.fields.values()].flatMap(({ code, content }): RecordProblem[] => {
    if (!content || typeof content.default === 'string') return [];
    const checked = checkFieldValue(content, Object.hasOwn(record, code) ? record[code] : content.default);
    return 'problem' in checked ? [{ place: code, message: String(checked.problem) }] : [];
  });
  return [
    ...unknown.map((place) => ({ place, message: `is not a field of ${model.code}` })),
    ...(isNoPid ? [{ place: 'pid', message: 'must have letters and digits only, 32 at most' }] : []),
    ...values,
  ];
}

function defaultsOf(model: Model | undefined): Record<string, unknown> {
  const fields = [...(model?.fields.values() ?? [])];
  return Object.fromEntries(
    fields.flatMap(({ code, content }) => (content?.default === undefined ? [] : [[code, content.default]])),
  );
}
