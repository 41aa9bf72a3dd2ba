import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ulid } from 'ulid';
import { requireNoProblems } from '../../cli/app/application-files.ts';
import { problemAt, readSource, syntaxProblems, type Problem, type SourceFile } from '../../cli/app/source-file.ts';
import type { SeedRecord } from '../../src/features/records/writing/bulk-insert.ts';
import type { Model } from '../../src/platform/metadata/models/model.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';

/**
 * `data/records.ts` (or `.mjs`): makes the records of one tenant, model code -> records. The tenant is named
 * as in `users.yaml`.
 */
interface RecordsModule {
  readonly default: (tenantKey: string, now: Date) => Iterable<[string, readonly SeedRecord[]]>;
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
): Promise<Iterable<[string, readonly SeedRecord[]]>> {
  const listed = tenant.isFirst ? await listedRecords(join(directory, 'data', 'records'), metadata) : [];
  const path = ['ts', 'mjs'].map((end) => join(directory, 'data', `records.${end}`)).find((one) => existsSync(one));
  if (path === undefined) return listed;
  const { default: make } = (await import(pathToFileURL(path).href)) as RecordsModule;
  return [...listed, ...make(tenant.key, new Date())];
}

async function listedRecords(folder: string, metadata: Snapshot): Promise<[string, readonly SeedRecord[]][]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const all: [string, readonly SeedRecord[]][] = [];
  for (const name of names) {
    const source = await readSource(join(folder, name));
    requireNoProblems(syntaxProblems(source));
    const code = basename(name, '.yaml');
    const model = metadata.models.get(code);
    const records = (source.document.toJS() ?? []) as Record<string, unknown>[];
    requireNoProblems(problemsOf(source, code, model, records));
    all.push([code, records.map((record) => ({ pid: ulid(), ...defaultsOf(model), ...record }))]);
  }
  return all;
}

function problemsOf(source: SourceFile, code: string, model: Model | undefined, records: unknown): Problem[] {
  if (!model) return [problemAt(source, '', `there is no model ${code}`)];
  if (!Array.isArray(records)) return [problemAt(source, '', 'must be a list of records')];
  const known = new Set(['pid', 'created_at', ...model.fields.keys()]);
  return records.flatMap((record: unknown, index) =>
    Object.keys(record ?? {})
      .filter((field) => !known.has(field))
      .map((field) => problemAt(source, `${index}.${field}`, `${field} is not a field of ${code}`)),
  );
}

function defaultsOf(model: Model | undefined): Record<string, unknown> {
  const fields = [...(model?.fields.values() ?? [])];
  return Object.fromEntries(
    fields.flatMap(({ code, content }) => (content?.default === undefined ? [] : [[code, content.default]])),
  );
}
