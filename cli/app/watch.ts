import { watch as watchFolder } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Invocation } from '../command-line.mjs';
import { describe, EXIT, Failure } from '../outcome.mjs';
import { splitList } from '../resource-names.mjs';
import { outcomeLine } from './apply.ts';
import { writeSchemas } from './editor-schemas.ts';
import { nameOf, openLenientSession, openSession, problemsOfConflicts, sendFiles } from './session.ts';
import { formatProblem } from './source-file.ts';

/** An editor writes a file in several steps. */
const DEBOUNCE_MS = 200;

/** Applies the files at each save. The whole directory is read at once, and one apply runs at a time. */
export async function watch(invocation: Invocation): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const session = await openLenientSession(invocation);
  const { needsPromotion, environment } = await sendFiles(session, { dryRun: true }, []);
  if (needsPromotion) throw new Failure(`${environment} changes only through promotion: use keelson apply`);
  const allowDestructive = splitList(invocation.options['allow-destructive'] as string[] | undefined);
  const saves = new Saves();
  // Watching begins before the first apply: no save is missed.
  const watching = noteSaves(session.files.directory, saves, stop.signal);
  saves.note();
  try {
    while (await saves.next(stop.signal)) await applyOnce(invocation, allowDestructive);
  } finally {
    stop.abort();
    await watching;
  }
  return EXIT.ok;
}

/** Saves since they were last asked for. */
class Saves {
  #pending = false;
  #wake: () => void = () => undefined;

  note(): void {
    this.#pending = true;
    this.#wake();
  }

  /** Waits for a save, and until no further one has followed for a moment. @returns false at the end */
  async next(signal: AbortSignal): Promise<boolean> {
    if (!this.#pending) await this.#noted(signal);
    while (this.#pending && !signal.aborted) {
      this.#pending = false;
      await Promise.race([this.#noted(signal), new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS))]);
    }
    return !signal.aborted;
  }

  #noted(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

async function noteSaves(directory: string, saves: Saves, signal: AbortSignal): Promise<void> {
  try {
    for await (const { filename } of watchFolder(directory, { recursive: true, signal })) {
      if (filename === null || isSource(filename)) saves.note();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function isSource(filename: string): boolean {
  return !basename(filename).startsWith('.') && /\.ya?ml$/.test(filename);
}

/** Applies what the files say now. What is wrong is told; the next save may put it right. */
async function applyOnce(invocation: Invocation, allowDestructive: readonly string[]): Promise<void> {
  const say = (text: string): unknown => process.stdout.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
  try {
    const session = await openSession(invocation);
    const plan = await sendFiles(session, { dryRun: true });
    const refused = plan.conflicts.filter(
      (one) => one.severity === 'blocking' || (one.severity === 'consent' && !allowDestructive.includes(nameOf(one))),
    );
    if (refused.length > 0) return void say(problemsOfConflicts(refused, session.files).map(formatProblem).join('\n'));
    await writeSchemas(session.files.directory, session.files.resources);
    const applied = await sendFiles(session, { allowDestructive, planHash: plan.planHash });
    for (const one of applied.changes) say(`${one.action.toLowerCase()} ${nameOf(one)}`);
    say(outcomeLine(applied));
  } catch (error) {
    say(describe(error));
  }
}
