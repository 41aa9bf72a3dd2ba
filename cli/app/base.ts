import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameOf, type FilesSession } from './session.ts';

/** What a checkout last pulled from an environment, or applied to it. */
export interface Base {
  readonly at: string;
  /** TYPE/code -> the content, without the name of the application. */
  readonly contents: Readonly<Record<string, object>>;
  /** The resources of the application that the files lacked then. */
  readonly others: readonly string[];
}

interface Named {
  readonly resourceType: string;
  readonly code: string;
  readonly content: object;
}

const FILE = 'base.json';

/** Null where this checkout has pulled and applied nothing yet. */
export async function readBase(session: FilesSession): Promise<Base | null> {
  return (await readAll(session))[keyOf(session)] ?? null;
}

/** Notes what this checkout and the environment have in common now. */
export async function writeBase(
  session: FilesSession,
  resources: readonly Named[],
  others: readonly string[],
): Promise<void> {
  const contents = Object.fromEntries(resources.map((one) => [nameOf(one), withoutApplication(one.content)]));
  const all = { ...(await readAll(session)), [keyOf(session)]: { at: new Date().toISOString(), contents, others } };
  const folder = folderOf(session);
  await mkdir(folder, { recursive: true });
  // Whoever reads it meanwhile gets the former one, or this one.
  const path = join(folder, `${FILE}.${process.pid}`);
  await writeFile(path, JSON.stringify(all), { mode: 0o600 });
  await rename(path, join(folder, FILE));
}

/** The name in `keelson.yaml` stands for it. */
export function withoutApplication({ app: _, ...content }: { readonly app?: string }): object {
  return content;
}

/** A file that cannot be read holds nothing that must not be lost: the next apply writes it. */
async function readAll(session: FilesSession): Promise<Readonly<Record<string, Base>>> {
  try {
    return JSON.parse(await readFile(join(folderOf(session), FILE), 'utf8')) as Record<string, Base>;
  } catch {
    return {};
  }
}

function folderOf({ files }: FilesSession): string {
  return join(files.directory, '.keelson');
}

function keyOf({ files, environment, connection }: FilesSession): string {
  return `${files.manifest.name} ${environment} ${connection.url}`;
}
