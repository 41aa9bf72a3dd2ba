import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { offlineResourceChecks } from '../../src/offline.ts';
import type { EnvironmentResource } from '../../src/platform/metadata/resources/resource-type.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { API_DOCUMENT, environmentPath, ENVIRONMENTS } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import type { Connection } from '../connection.mjs';
import { EXIT, Failure, UsageError } from '../outcome.mjs';
import { printApi, type ApiDocument } from '../types/print-api.ts';
import { printTypes } from '../types/print-types.ts';
import {
  findApplication,
  nearestManifest,
  readApplication,
  requireNoProblems,
  type ApplicationFiles,
} from './application-files.ts';
import { checkResources } from './check-files.ts';

/** Reads again after the environment has changed in between. */
const ATTEMPTS = 3;

interface Printed {
  /** Where the types are from, for a person. */
  readonly from: string;
  readonly body: string;
}

interface Options {
  readonly dir?: string;
  readonly env?: string;
  readonly out?: string;
  readonly api?: boolean;
  readonly check?: boolean;
}

/**
 * Prints TypeScript types: of an environment's configuration, of what is in files, or of the fixed routes.
 */
export async function types({ connect, output, options }: Invocation): Promise<number> {
  const { dir, env, out, api = false, check = false } = options as Options;
  if ([api, dir !== undefined, env !== undefined].filter(Boolean).length > 1) {
    throw new UsageError('--dir reads files, --env an environment, --api the fixed routes: name one');
  }
  if (check && out === undefined) throw new UsageError('--check needs the file: add -o');
  const { from, body } = await (api
    ? ofRoutes(connect)
    : dir === undefined
      ? ofEnvironment(connect, env)
      : ofFiles(dir));
  const text = textOf({ from, body });
  if (out === undefined) {
    await output.show({ text }, () => text.trimEnd());
    return EXIT.ok;
  }
  const present = existsSync(out) ? await readFile(out, 'utf8') : null;
  // The first line alone says nothing about the types.
  const isStale = present?.slice(present.indexOf('\n') + 1) !== body;
  if (check && isStale) throw new Failure(`${out} is stale: it differs from ${from}; run keelson types -o ${out}`);
  if (isStale) {
    await mkdir(dirname(out), { recursive: true });
    await writeFile(out, text);
  }
  await output.show({ file: out, written: isStale }, () =>
    isStale ? `Wrote ${out} from ${from}` : `${out} is up to date with ${from}`,
  );
  return EXIT.ok;
}

/** The file with the types of an application's files. */
export function typesOfFiles(files: ApplicationFiles): string {
  return textOf(printFiles(files));
}

function textOf({ from, body }: Printed): string {
  return `// Printed by keelson types from ${from}. Do not edit.\n${body}`;
}

function printFiles({ manifest, resources }: ApplicationFiles): Printed {
  return { from: `the files of ${manifest.name}`, body: printResources(resources) };
}

/** @throws Failure where `keelson lint` finds errors */
async function ofFiles(directory: string): Promise<Printed> {
  const files = await readApplication(findApplication(directory));
  requireNoProblems((await checkResources(files)).problems.filter(({ severity }) => severity === 'error'));
  return printFiles(files);
}

/** All resources and the version of the metadata that they are. */
async function ofEnvironment(connect: Invocation['connect'], env: string | undefined): Promise<Printed> {
  const manifest = await nearestManifest();
  const connection = connect();
  const environment = env ?? manifest?.environment ?? 'dev';
  for (let attempt = 1; ; attempt += 1) {
    const version = await metadataVersion(connection, environment);
    const exported = await connection.post(environmentPath(environment, 'export'));
    if (version !== (await metadataVersion(connection, environment)) && attempt < ATTEMPTS) continue;
    const { resources } = exported.data as { resources: EnvironmentResource[] };
    return { from: `${environment} at metadata version ${version}`, body: printResources(resources) };
  }
}

async function metadataVersion(connection: Connection, environment: string): Promise<number | undefined> {
  const all = (await connection.get(ENVIRONMENTS)).data as { code: string; metadataVersion: number }[];
  return all.find(({ code }) => code === environment)?.metadataVersion;
}

async function ofRoutes(connect: Invocation['connect']): Promise<Printed> {
  const document = (await connect().document(API_DOCUMENT)) as ApiDocument;
  return { from: `the API of version ${document.info.version}`, body: printApi(document) };
}

function printResources(resources: readonly EnvironmentResource[]): string {
  return printTypes(new Snapshot('types', 0, resources, offlineResourceChecks().types));
}
