import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Document } from 'yaml';
import { canonicalJson } from '../../src/foundation/validation/canonical-json.ts';
import { applicationOf, problemOfApplication } from '../../src/platform/metadata/resources/common-content.ts';
import { environmentPath } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import { EXIT, Failure } from '../outcome.mjs';
import { parseName } from '../resource-names.mjs';
import { asLines } from '../terminal.mjs';
import type { ResourceFile } from './application-files.ts';
import { folderOf, schemaLine, writeSchemas } from './editor-schemas.ts';
import { readBase, withoutApplication, writeBase } from './base.ts';
import { uncommitted } from './git.ts';
import { nameOf, openSession, type FilesSession } from './session.ts';
import { PRINTED, withContent } from './yaml-merge.ts';

interface Resource {
  readonly resourceType: string;
  readonly code: string;
  readonly content: object;
}

/** A file as it will be; `text` null deletes it. */
interface FileChange {
  readonly path: string;
  readonly text: string | null;
  readonly isNew: boolean;
}

/** Writes what an environment has into the files. */
export async function pull(invocation: Invocation): Promise<number> {
  const { output, args, options } = invocation;
  const session = await openSession(invocation);
  const { files, environment } = session;
  const wanted = new Set(args.map((name) => nameOf(parseName(name))));
  const present = await resourcesOf(session, wanted);
  const lacking = [...wanted].filter((name) => !present.some((one) => nameOf(one) === name));
  if (lacking.length > 0) throw new Failure(`${lacking.join(', ')} is not in ${environment}`);
  const changes = changesOf(files.directory, files.resources, present);
  const gone = files.resources.filter((file) => !present.some((one) => nameOf(one) === nameOf(file)));
  const isWhole = wanted.size === 0;
  if (options.prune && isWhole) changes.push(...gone.map(({ path }) => ({ path, text: null, isNew: false })));
  if (!options.force) await refuseOverEdits(files.directory, changes);
  // Everything is known before anything is written.
  if (!options['dry-run']) for (const change of changes) await write(change);
  if (!options['dry-run']) await notePulled(session, present, isWhole);
  if (!options['dry-run']) await writeSchemas(files.directory, [...files.resources, ...present]);
  const listed = changes.map(({ path, text, isNew }) => ({
    file: relative(process.cwd(), path),
    change: text === null ? 'deleted' : isNew ? 'added' : 'updated',
  }));
  const kept = options.prune || !isWhole ? [] : gone.map(nameOf);
  await output.show({ environment, files: listed, onlyInFiles: kept }, () => {
    const lines = listed.map(({ file, change }) => `  ${change.padEnd(7)}  ${file}`);
    const only = kept.map((name) => `  ${name} is only in the files (--prune deletes it)`);
    if (lines.length + only.length === 0) return `The files are what ${environment} has`;
    return asLines([...lines, ...only]);
  });
  return EXIT.ok;
}

/** What was pulled is what this checkout and the environment have in common. */
async function notePulled(session: FilesSession, present: readonly Resource[], isWhole: boolean): Promise<void> {
  const before = isWhole ? null : await readBase(session);
  // Of others that were not pulled, what was known stays known.
  if (!isWhole && !before) return;
  const pulled = new Set(present.map(nameOf));
  const kept = Object.entries(before?.contents ?? {}).flatMap(([name, content]) =>
    pulled.has(name) ? [] : [{ ...parseName(name), content }],
  );
  await writeBase(
    session,
    [...present, ...kept],
    (before?.others ?? []).filter((name) => !pulled.has(name)),
  );
}

/**
 * The resources of the environment that the application has, and those of no application that are named or
 * have a file.
 * @throws Failure naming those of another application
 */
async function resourcesOf(session: FilesSession, wanted: ReadonlySet<string>): Promise<Resource[]> {
  const { connection, environment, files } = session;
  const exported = await connection.post(environmentPath(environment, 'export'));
  const all = (exported.data as { resources: Resource[] }).resources;
  const named = wanted.size > 0 ? wanted : new Set(files.resources.map(nameOf));
  const foreign = all.filter((one) => wanted.has(nameOf(one)) && problemOfApplication(one, files.manifest.name));
  if (foreign.length > 0) {
    const owners = foreign.map((one) => `${nameOf(one)} belongs to the application ${applicationOf(one)}`);
    throw new Failure(owners.join('\n'));
  }
  return all.filter((one) => {
    const owner = applicationOf(one);
    if (wanted.size > 0) return wanted.has(nameOf(one));
    return owner === files.manifest.name || (owner === null && named.has(nameOf(one)));
  });
}

function changesOf(directory: string, files: readonly ResourceFile[], present: readonly Resource[]): FileChange[] {
  const byName = new Map(files.map((file) => [nameOf(file), file]));
  const taken = new Set(files.map(({ path }) => path));
  return present.flatMap((resource): FileChange[] => {
    const file = byName.get(nameOf(resource));
    if (!file) {
      const path = newPath(directory, resource, taken);
      taken.add(path);
      const text = newText({ ...resource, content: withoutApplication(resource.content) });
      return [{ path, text: schemaLine(directory, path, resource.resourceType) + text, isNew: true }];
    }
    // The name in keelson.yaml stands for a file that does not say it.
    const content = applicationOf(file) === null ? withoutApplication(resource.content) : resource.content;
    if (canonicalJson(file.content) === canonicalJson(content)) return [];
    return [{ path: file.path, text: withContent(file, content), isNew: false }];
  });
}

/** `resources/<type>/<code>.yaml`, with `.` for the `:` of a command's code. */
function newPath(directory: string, { resourceType, code }: Resource, taken: ReadonlySet<string>): string {
  const base = join(directory, 'resources', folderOf(resourceType), code.replaceAll(':', '.'));
  for (let number = 1; ; number += 1) {
    const path = `${base}${number > 1 ? `-${number}` : ''}.yaml`;
    if (!taken.has(path) && !existsSync(path)) return path;
  }
}

/** Keys that people look for come first. */
const FIRST_KEYS = ['id', 'code', 'name', 'type', 'kind', 'modelCode', 'trigger'];

function newText({ resourceType, code, content }: Resource): string {
  return new Document({ resourceType, code, content: ordered(content) }).toString(PRINTED);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const place = (key: string): number => (FIRST_KEYS.includes(key) ? FIRST_KEYS.indexOf(key) : FIRST_KEYS.length);
  const entries = Object.entries(value).sort(([a], [b]) => place(a) - place(b));
  return Object.fromEntries(entries.map(([key, one]) => [key, ordered(one)]));
}

/** @throws Failure naming the files with edits that would be lost */
async function refuseOverEdits(directory: string, changes: readonly FileChange[]): Promise<void> {
  const overwritten = changes.filter(({ isNew }) => !isNew).map(({ path }) => path);
  const edited = await uncommitted(directory, overwritten);
  if (edited.length === 0) return;
  const names = edited.map((path) => `  ${relative(process.cwd(), path)}`);
  throw new Failure(`These files have edits that are not committed; commit them, or add --force:\n${names.join('\n')}`);
}

async function write({ path, text }: FileChange): Promise<void> {
  if (text === null) return rm(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
