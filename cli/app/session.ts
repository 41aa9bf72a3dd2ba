import { environmentPath } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import type { Connection } from '../connection.mjs';
import { Refused } from '../outcome.mjs';
import {
  findApplication,
  readApplication,
  requireNoProblems,
  type ApplicationFiles,
  type ResourceFile,
} from './application-files.ts';
import { problemAt, type Problem } from './source-file.ts';

interface Named {
  readonly resourceType: string;
  readonly code: string;
}

/** A change that applying files makes. */
export interface Change {
  readonly resourceType: string;
  readonly code: string;
  readonly renamedFrom?: string;
  readonly action: 'ADD' | 'UPDATE' | 'REMOVE';
  readonly sourceVersion: number | null;
  readonly targetVersion: number | null;
  readonly patch: readonly unknown[];
  readonly ddl: readonly string[];
}

export interface Conflict {
  readonly type: string;
  readonly severity: 'blocking' | 'consent' | 'warning';
  readonly resourceType: string;
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly path?: string };
}

/** The service's answer to sent files. */
export interface AppliedFiles {
  readonly environment: string;
  readonly status: 'PLANNED' | 'UNCHANGED' | 'APPLIED' | 'WAITING';
  readonly planHash: string;
  readonly needsPromotion: boolean;
  readonly changes: readonly Change[];
  /** Of the application, and not in its files. */
  readonly unmanaged: readonly Named[];
  /** Of no application, and not in the files. */
  readonly unowned: readonly Named[];
  readonly conflicts: readonly Conflict[];
  readonly promotion: { readonly pid: string } | null;
}

/** The files of an application and the environment that a command compares them with. */
export interface FilesSession {
  readonly files: ApplicationFiles;
  readonly environment: string;
  readonly connection: Connection;
}

/** @throws Failure with all problems of the files' form */
export async function openSession(invocation: Invocation): Promise<FilesSession> {
  const session = await openLenientSession(invocation);
  requireNoProblems(session.files.problems);
  return session;
}

/** As `openSession`, but keeps files with problems. */
export async function openLenientSession({ connect, options }: Invocation): Promise<FilesSession> {
  const files = await readApplication(findApplication(options.dir as string | undefined));
  const { manifest } = files;
  const environment = (options.env as string | undefined) ?? manifest.environment;
  return { files, environment, connection: connect(manifest.url) };
}

/** Sends the files. @throws Failure with file, line and column of what the service refuses about them */
export async function sendFiles(
  { files, environment, connection }: FilesSession,
  options: object,
  resources: readonly ResourceFile[] = files.resources,
): Promise<AppliedFiles> {
  const body = {
    application: files.manifest.name,
    resources: resources.map(({ resourceType, code, content }) => ({ resourceType, code, content })),
    ...options,
  };
  try {
    return (await connection.post(environmentPath(environment, 'apply'), body)).data as AppliedFiles;
  } catch (error) {
    requireNoProblems(problemsOfRefusal(error, resources));
    throw error;
  }
}

/** Conflicts of a plan at their places in the files. */
export function problemsOfConflicts(conflicts: readonly Conflict[], files: ApplicationFiles): Problem[] {
  const byName = new Map(files.resources.map((file) => [nameOf(file), file]));
  return conflicts.map((conflict) => {
    const { type, severity, message, details } = conflict;
    const [, named = nameOf(conflict), place = ''] = /^(\S+\/\S+ )?(content\S*)?/.exec(details?.path ?? '') ?? [];
    const file = byName.get(named.trim()) ?? byName.get(nameOf(conflict));
    const text = `${nameOf(conflict)}: ${message} (${type})`;
    const level = severity === 'warning' ? 'warning' : 'error';
    if (file) return problemAt(file, place, text, level);
    return { file: files.directory, line: 1, column: 1, severity: level, message: text };
  });
}

export function nameOf({ resourceType, code }: Named): string {
  return `${resourceType}/${code}`;
}

/** The problems of a VALIDATION_ERROR, whose fields are `resources.<index>.<path>`. */
function problemsOfRefusal(error: unknown, resources: readonly ResourceFile[]): Problem[] {
  return Object.entries(fieldErrorsOf(error)).flatMap(([field, problem]) => {
    const [, index, place = ''] = /^resources\.(\d+)\.?(.*)$/.exec(field) ?? [];
    const file = resources[Number(index)];
    return file ? [problemAt(file, place, `${place} ${problem}`)] : [];
  });
}

/** The problems of a VALIDATION_ERROR about the content of one file. */
export function problemsOfContent(error: unknown, file: ResourceFile): Problem[] {
  return Object.entries(fieldErrorsOf(error)).map(([field, problem]) => {
    const place = field.slice(field.indexOf(' ') + 1);
    return problemAt(file, place, `${place} ${problem}`);
  });
}

function fieldErrorsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Refused) || error.code !== 'VALIDATION_ERROR') return {};
  return ((error.data ?? {}) as { fieldErrors?: Record<string, string> }).fieldErrors ?? {};
}
