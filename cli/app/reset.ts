import { environmentPath } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import { EXIT, Failure, Refused } from '../outcome.mjs';
import { isAgreed } from '../standard-input.mjs';
import { asLines } from '../terminal.mjs';
import { findApplication } from './application-files.ts';
import { readChecked } from './checked-application.ts';
import type { InitialData } from './data-files.ts';

/** What a reset removes. */
interface Removed {
  readonly environment: string;
  readonly recordCount: number;
  readonly models: readonly { readonly modelCode: string; readonly records: number }[];
  readonly others: Readonly<Record<string, number>>;
}

/** Empties the records of an environment and writes those of `data/` in their place: shows, asks, does. */
export async function reset({ connect, output, options }: Invocation): Promise<number> {
  const { files, data } = await readChecked(findApplication(options.dir as string | undefined));
  const environment = (options.env as string | undefined) ?? files.manifest.environment;
  const connection = connect(files.manifest.url);
  const path = environmentPath(environment, 'reset');
  const removed = (await connection.get(path)).data as Removed;
  const seeds = options.empty ? [] : data.records;
  const written = seeds.reduce((sum, { records }) => sum + records.length, 0);
  if (!options.json || options['dry-run']) await output.show(removed, () => shown(removed, written));
  if (options['dry-run']) return EXIT.ok;
  if (!(await isAgreed(`Empty the records of ${removed.environment}?`, options))) return EXIT.failure;
  const { reason } = options as { reason?: string };
  const records = seeds.map(({ tenant, modelCode, records: own }) => {
    const { name = tenant } = data.users.tenants.find((one) => (one.id ?? one.name) === tenant) ?? {};
    return { tenant: name, modelCode, records: own };
  });
  const order = { recordCount: removed.recordCount, records, ...(reason !== undefined && { reason }) };
  const answer = await connection.post(path, order).catch((error: unknown) => {
    throw inFiles(error, seeds);
  });
  await output.show(answer.data, () => asLines([`${removed.environment} has ${countOf(written, 'record')} of data/`]));
  return EXIT.ok;
}

function shown({ environment, recordCount, models, others }: Removed, written: number): string {
  const own = models.flatMap(({ modelCode, records }) => (records > 0 ? [`  ${modelCode}: ${records}`] : []));
  const rest = Object.entries(others).flatMap(([name, count]) => (count > 0 ? [`  ${wordOf(name)}: ${count}`] : []));
  return asLines([
    `${environment} loses ${countOf(recordCount, 'record')} of all tenants${own.length > 0 ? ':' : ''}`,
    ...own,
    ...(rest.length > 0 ? ['and what they have left:', ...rest] : []),
    `and gets ${countOf(written, 'record')} of data/. Users, configuration and the audit trail stay.`,
  ]);
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `awaitedEvents`: `awaited events`. */
function wordOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A refusal of records, told by their files. */
function inFiles(error: unknown, seeds: InitialData['records']): unknown {
  if (!(error instanceof Refused)) return error;
  const { fieldErrors = {} } = (error.data ?? {}) as { fieldErrors?: Record<string, string> };
  const lines = Object.entries(fieldErrors).map(([place, problem]) => {
    const [, list = '', path = ''] = /^records\.(\d+)\.(?:records\.)?(.*)$/.exec(place) ?? [];
    const file = list === '' ? undefined : seeds[Number(list)]?.file;
    return file === undefined ? null : `${file}: ${path} ${problem}`;
  });
  const told = lines.filter((line) => line !== null);
  return told.length > 0 && told.length === lines.length ? new Failure(told.join('\n')) : error;
}
