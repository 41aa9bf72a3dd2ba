import { EXAMPLES } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import { EXIT, Failure } from '../outcome.mjs';
import { asLines } from '../terminal.mjs';
import type { ResourceFile } from './application-files.ts';
import { openSession, problemsOfContent, type FilesSession } from './session.ts';
import { formatProblem, type Problem } from './source-file.ts';

/** The service's answer to the examples of one command. */
interface Tried {
  readonly commandCode: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly examples: readonly TriedExample[];
}

interface TriedExample {
  readonly name: string;
  readonly status: 'PASSED' | 'FAILED' | 'SKIPPED';
  readonly differences: readonly { readonly path: string; readonly expected: unknown; readonly actual?: unknown }[];
  readonly error: FailedWith | null;
}

interface FailedWith {
  readonly code: string;
  readonly message: string;
  readonly data?: { readonly reason?: string; readonly fieldErrors?: Readonly<Record<string, string>> } | null;
}

const SIGNS = { PASSED: 'ok', FAILED: 'FAIL', SKIPPED: 'skip' } as const;

/** Tries the examples of the commands in the files, among what the environment has. Changes nothing. */
export async function test(invocation: Invocation): Promise<number> {
  const { output, args } = invocation;
  const session = await openSession(invocation);
  const commands = session.files.resources.filter(({ resourceType }) => resourceType === 'COMMAND');
  const unknown = args.filter((code) => !commands.some((one) => one.code === code));
  if (unknown.length > 0) throw new Failure(`${unknown.join(', ')} is not a COMMAND of ${session.files.manifest.name}`);
  const wanted = commands.filter(({ code, content }) =>
    args.length > 0 ? args.includes(code) : ((content as { examples?: unknown[] }).examples ?? []).length > 0,
  );
  const tried: Tried[] = [];
  const problems: Problem[] = [];
  for (const command of wanted) {
    const result = await tryExamples(session, command);
    if ('examples' in result) tried.push(result);
    else problems.push(...result);
  }
  const count = (key: 'passed' | 'failed' | 'skipped'): number => tried.reduce((sum, one) => sum + one[key], 0);
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  const { environment } = session;
  await output.show({ environment, ...counts, commands: tried, problems }, () =>
    asLines([
      ...tried.flatMap(lines),
      ...problems.map(formatProblem),
      `${environment}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    ]),
  );
  return counts.failed + problems.length === 0 ? EXIT.ok : EXIT.failure;
}

/** The outcomes, or the problems of the file. @throws Refused */
async function tryExamples(
  { connection, environment }: FilesSession,
  command: ResourceFile,
): Promise<Tried | Problem[]> {
  const { code, content } = command;
  try {
    const path = `${EXAMPLES}/${encodeURIComponent(code)}`;
    return (await connection.post(path, { content }, { 'x-environment': environment })).data as Tried;
  } catch (error) {
    const problems = problemsOfContent(error, command);
    if (problems.length > 0) return problems;
    throw error;
  }
}

function lines({ commandCode, examples }: Tried): string[] {
  return [commandCode, ...examples.flatMap(exampleLines)];
}

function exampleLines({ name, status, differences, error }: TriedExample): string[] {
  const line = `  ${SIGNS[status].padEnd(4)}  ${name}`;
  if (status === 'PASSED') return [line];
  return [
    line,
    ...differences.flatMap(({ path, expected, actual }) => [
      `          ${path}`,
      `            - ${shown(expected)}`,
      `            + ${shown(actual)}`,
    ]),
    ...(error ? reasonOf(error) : []),
  ];
}

/** Why a command was refused: its reason, and the fields. */
function reasonOf({ code, message, data }: FailedWith): string[] {
  const { reason, fieldErrors = {} } = data ?? {};
  const fields = Object.entries(fieldErrors).map(([field, problem]) => `            ${field}: ${problem}`);
  return [`          ${code}${reason === undefined ? '' : ` ${reason}`}: ${message}`, ...fields];
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? '(nothing)';
}
