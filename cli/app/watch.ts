import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { basename } from 'node:path';
import { watch as watchFolder, type FSWatcher } from 'chokidar';
import type { Invocation } from '../command-line.mjs';
import { describe, EXIT, exitCodeOf, Failure, Refused } from '../outcome.mjs';
import { splitList } from '../resource-names.mjs';
import { print, printableLine } from '../terminal.mjs';
import { noteBase, outcomeLine } from './apply.ts';
import { writeSchemas } from './editor-schemas.ts';
import { reconcile, sidesOf } from './reconcile.ts';
import { nameOf, openLenientSession, openSession, problemsOfConflicts, sendFiles } from './session.ts';
import { formatProblem } from './source-file.ts';

/** An editor writes a file in several steps. */
const DEBOUNCE_MS = 200;
/** A service that is away gets the files this much later. */
const AGAIN_MS = 3_000;

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
  const watcher = await noteSaves(session.files.directory, saves);
  saves.note();
  try {
    while (await saves.next(stop.signal)) {
      const isOver = await applyOnce(invocation, allowDestructive);
      if (!isOver) setTimeout(() => saves.note(), AGAIN_MS).unref();
    }
  } finally {
    await watcher.close();
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

/** Also of editors that put a new file in the place of the old one. Resolves when it watches. */
async function noteSaves(directory: string, saves: Saves): Promise<FSWatcher> {
  const isOther = (path: string, stats?: Stats): boolean =>
    (/^\.|^node_modules$/.test(basename(path)) && path !== directory) ||
    (stats?.isFile() === true && !/\.ya?ml$/.test(path));
  const watcher = watchFolder(directory, { ignored: isOther, ignoreInitial: true });
  watcher.on('all', () => saves.note());
  await once(watcher, 'ready');
  return watcher;
}

/**
 * Applies the files. Problems are reported; the next save may fix them.
 * @returns false where the same files may succeed later
 */
async function applyOnce(invocation: Invocation, allowDestructive: readonly string[]): Promise<boolean> {
  const say = (text: string): unknown => print(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
  try {
    const session = await openSession(invocation);
    const plan = await sendFiles(session, { dryRun: true });
    const { told, isPlanOld, isRefused } = await reconcile(session, plan, {
      sides: sidesOf({}),
      prune: false,
      isDry: false,
    });
    for (const line of told) say(printableLine(line));
    // What was merged is a save as well.
    if (isRefused || isPlanOld) return true;
    const refused = plan.conflicts.filter(
      (one) => one.severity === 'blocking' || (one.severity === 'consent' && !allowDestructive.includes(nameOf(one))),
    );
    if (refused.length > 0) {
      say(problemsOfConflicts(refused, session.files).map(formatProblem).join('\n'));
      return true;
    }
    await writeSchemas(session.files.directory, session.files.resources);
    const applied = await sendFiles(session, { allowDestructive, planHash: plan.planHash });
    if (applied.status !== 'WAITING') await noteBase(session, applied);
    for (const one of applied.changes) say(`${one.action.toLowerCase()} ${nameOf(one)}`);
    say(outcomeLine(applied));
    return true;
  } catch (error) {
    say(describe(error));
    return exitCodeOf(error) !== EXIT.unreachable && !(error instanceof Refused && error.code === 'STALE_PLAN');
  }
}
