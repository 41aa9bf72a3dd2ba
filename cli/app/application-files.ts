import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isMap } from 'yaml';
import {
  APPLICATION_NAME_PATTERN,
  problemOfApplication,
} from '../../src/platform/metadata/resources/common-content.ts';
import { Failure } from '../outcome.mjs';
import { formatProblem, problemAt, readSource, syntaxProblems, type Problem, type SourceFile } from './source-file.ts';

const MANIFEST = 'keelson.yaml';
const NAME = new RegExp(APPLICATION_NAME_PATTERN);
const RESOURCE_KEYS = ['resourceType', 'code', 'content'];
/** Files that are read at the same time. */
const FILES_AT_ONCE = 64;

/** The content of `keelson.yaml`. */
export interface Manifest {
  /** Stands for the application in environments that have several. */
  readonly name: string;
  /** The environment that the commands work on unless told otherwise. */
  readonly environment: string;
  readonly url: string | undefined;
}

export interface ResourceFile extends SourceFile {
  readonly resourceType: string;
  readonly code: string;
  readonly content: object;
}

/** An application: a directory with `keelson.yaml`, `resources/` and `data/`. */
export interface ApplicationFiles {
  readonly directory: string;
  readonly manifest: Manifest;
  /** By path. */
  readonly resources: readonly ResourceFile[];
  /** The names of the resources whose files cannot be used; null where a file does not say it. */
  readonly unreadable: readonly (string | null)[];
  /** Problems that prevent the files from being used. */
  readonly problems: readonly Problem[];
}

/** @throws Failure where the directory is not an application */
export async function readApplication(directory: string): Promise<ApplicationFiles> {
  const { manifest, problems: wrong } = await readManifest(directory);
  const paths = await resourcePaths(directory);
  const sources: SourceFile[] = [];
  for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
    sources.push(...(await Promise.all(paths.slice(from, from + FILES_AT_ONCE).map(readSource))));
  }
  const problems = [...wrong, ...sources.flatMap(problemsOfForm)];
  const broken = new Set(problems.map(({ file }) => file));
  const resources = sources.filter(({ file }) => !broken.has(file)).map(toResource);
  const unreadable = sources.filter(({ file }) => broken.has(file)).map(nameWithin);
  problems.push(...repeated(resources), ...ofOthers(resources, manifest.name));
  return { directory, manifest, resources, unreadable, problems };
}

/** The directory to work with: the given one, or the nearest above with a `keelson.yaml`. @throws Failure */
export function findApplication(given: string | undefined): string {
  const found = given === undefined ? nearestApplication() : resolve(given);
  if (found !== null) return found;
  throw new Failure(`There is no ${MANIFEST} here or above: name a directory with --dir, or begin with keelson init`);
}

/**
 * The content of the nearest `keelson.yaml`; null if there is none.
 * @throws Failure with its problem
 */
export async function nearestManifest(): Promise<Manifest | null> {
  const directory = nearestApplication();
  if (directory === null) return null;
  const { manifest, problems } = await readManifest(directory);
  requireNoProblems(problems);
  return manifest;
}

/** The folder of the application that the command is given in. */
export function nearestApplication(): string | null {
  for (let folder = process.cwd(), above = ''; folder !== above; above = folder, folder = resolve(folder, '..')) {
    if (existsSync(join(folder, MANIFEST))) return folder;
  }
  return null;
}

/** All problems as lines. @throws Failure unless there are none */
export function requireNoProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Failure(problems.map(formatProblem).join('\n'));
}

async function readManifest(directory: string): Promise<{ manifest: Manifest; problems: Problem[] }> {
  const path = join(directory, MANIFEST);
  if (!existsSync(path)) throw new Failure(`${directory} is not an application: it has no ${MANIFEST}`);
  const source = await readSource(path);
  const problems = syntaxProblems(source);
  const { name, environment = 'dev', url, ...others } = (source.document.toJS() ?? {}) as Record<string, unknown>;
  const report = (place: string, message: string): unknown => problems.push(problemAt(source, place, message));
  if (typeof name !== 'string' || !NAME.test(name)) report('name', `name must match ${NAME.source}`);
  if (typeof environment !== 'string') report('environment', 'environment must be the code of an environment');
  if (url !== undefined && typeof url !== 'string') report('url', 'url must be a text');
  for (const key of Object.keys(others)) report(key, `${key} is not a known key`);
  return { manifest: { name, environment, url } as Manifest, problems };
}

/** Every YAML file under `resources/`, in order. Hidden files are the editors'. */
async function resourcePaths(directory: string): Promise<string[]> {
  const root = join(directory, 'resources');
  if (!existsSync(root)) return [];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /^[^.].*\.ya?ml$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

function problemsOfForm(source: SourceFile): Problem[] {
  const wrong = syntaxProblems(source);
  if (wrong.length > 0) return wrong;
  const { contents } = source.document;
  if (!isMap(contents)) return [problemAt(source, '', 'must have the keys resourceType, code and content')];
  const value = source.document.toJS() as Record<string, unknown>;
  const problems: Problem[] = [];
  for (const key of ['resourceType', 'code']) {
    if (typeof value[key] !== 'string') problems.push(problemAt(source, key, `${key} must be a text`));
  }
  const { content } = value;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    problems.push(problemAt(source, 'content', 'content must be an object'));
  }
  for (const key of Object.keys(value)) {
    if (!RESOURCE_KEYS.includes(key)) problems.push(problemAt(source, key, `${key} is not a known key`));
  }
  return problems;
}

function toResource(source: SourceFile): ResourceFile {
  const { resourceType, code, content } = source.document.toJS() as Pick<
    ResourceFile,
    'resourceType' | 'code' | 'content'
  >;
  return { ...source, resourceType, code, content };
}

/** The name that can be read all the same. */
function nameWithin({ document }: SourceFile): string | null {
  const [resourceType, code] = ['resourceType', 'code'].map((key) =>
    isMap(document.contents) ? document.get(key) : null,
  );
  return typeof resourceType === 'string' && typeof code === 'string' ? `${resourceType}/${code}` : null;
}

function repeated(resources: readonly ResourceFile[]): Problem[] {
  const first = new Map<string, string>();
  return resources.flatMap((resource) => {
    const name = `${resource.resourceType}/${resource.code}`;
    const known = first.get(name);
    if (known !== undefined) return [problemAt(resource, 'code', `${name} is in ${known}, too`)];
    first.set(name, resource.file);
    return [];
  });
}

function ofOthers(resources: readonly ResourceFile[], application: string): Problem[] {
  return resources.flatMap((resource) => {
    const problem = problemOfApplication(resource, application);
    return problem === null ? [] : [problemAt(resource, 'content.app', `content.app ${String(problem)}`)];
  });
}
