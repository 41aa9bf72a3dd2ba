import { readFile, rm, writeFile } from 'node:fs/promises';
import { applicationOf } from '../../src/platform/metadata/resources/common-content.ts';
import { environmentPath, withQuery } from '../api-paths.mjs';
import { UsageError } from '../outcome.mjs';
import { parseName, splitList } from '../resource-names.mjs';
import type { ResourceFile } from './application-files.ts';
import { readBase, withoutApplication, type Base } from './base.ts';
import { nameOf, type AppliedFiles, type FilesSession } from './session.ts';
import { isSame, mergeThreeWay } from './three-way.ts';
import { withContent } from './yaml-merge.ts';

/** How to go on with resources that both sides have changed, by TYPE/code. */
export interface Sides {
  readonly ours: ReadonlySet<string>;
  readonly theirs: ReadonlySet<string>;
}

/** What others have changed since this checkout last pulled or applied. */
export interface Reconciled {
  /** A line for each resource. */
  readonly told: readonly string[];
  /** Whether files have been written, here or by the author meanwhile. */
  readonly isPlanOld: boolean;
  /** Whether a person has to choose. */
  readonly isRefused: boolean;
}

const NOTHING: Reconciled = { told: [], isPlanOld: false, isRefused: false };

/** @throws UsageError for a resource that is named for both sides */
export function sidesOf(options: Readonly<Record<string, unknown>>): Sides {
  const named = (key: string) =>
    new Set(splitList(options[key] as string[] | undefined).map((name) => nameOf(parseName(name))));
  const [ours, theirs] = [named('ours'), named('theirs')];
  const both = [...ours].find((name) => theirs.has(name));
  if (both !== undefined) throw new UsageError(`${both} is named by --ours and by --theirs`);
  return { ours, theirs };
}

/** A resource at the base, in the files and in the environment; undefined where it is not. */
interface Versions {
  readonly name: string;
  readonly base: object | undefined;
  readonly mine: object | undefined;
  readonly theirs: object | undefined;
  readonly file: ResourceFile | undefined;
}

/**
 * Brings changes of others since the base of this checkout into its files, where they touch nothing that was
 * changed here. Environments that change only through promotion have no base: their plans are reviewed.
 */
export async function reconcile(
  session: FilesSession,
  plan: AppliedFiles,
  { sides, prune, isDry }: { readonly sides: Sides; readonly prune: boolean; readonly isDry: boolean },
): Promise<Reconciled> {
  const base = plan.changes.length > 0 && !plan.needsPromotion ? await readBase(session) : null;
  if (!base) return NOTHING;
  // What cannot be applied is told by its plan.
  const blocked = new Set(plan.conflicts.filter(({ severity }) => severity === 'blocking').map(nameOf));
  const changed = (await versionsOf(session, base)).filter(
    ({ name, base: before, mine, theirs }) => !blocked.has(name) && !isSame(before, theirs) && !isSame(mine, theirs),
  );
  if (changed.length === 0) return NOTHING;
  const authors = await authorsOf(session);
  const outcomes = changed.map((one) => ({ ...decide(one, base, sides, prune), ...one }));
  const isRefused = outcomes.some((one) => one.isRefused);
  const writes = isRefused || isDry ? [] : outcomes.filter(({ content }) => content !== undefined);
  const saved = new Set<string>();
  for (const { name, file, content } of writes) {
    if (!file) continue;
    // What was saved while the service was asked is in no plan yet.
    if ((await readFile(file.path, 'utf8')) !== file.text) saved.add(name);
    else if (content === null) await rm(file.path);
    else await writeFile(file.path, withContent(file, content as object));
  }
  const told = outcomes.flatMap(({ name, says }) =>
    says === null || saved.has(name) ? [] : [`${name} ${authors(name)}: ${says}`],
  );
  return { told, isPlanOld: writes.length > 0, isRefused };
}

interface Decision {
  /** What becomes of the resource; null for what needs no word. */
  readonly says: string | null;
  /** The new content of the file: null deletes it; undefined leaves it. */
  readonly content?: unknown;
  readonly isRefused?: boolean;
}

function decide({ name, base, mine, theirs, file }: Versions, known: Base, sides: Sides, prune: boolean): Decision {
  if (sides.ours.has(name)) return { says: 'yours replaces it' };
  const choice = `keelson apply --theirs ${name}, or --ours ${name}`;
  if (mine === undefined) {
    // Nothing is removed without --prune; what the files lacked before is no news.
    if (!prune || (base === undefined && known.others.includes(name))) return { says: null };
    return {
      says: `the files lack it: keelson pull ${name}, or keelson apply --prune --ours ${name}`,
      isRefused: true,
    };
  }
  // The application is said in a file, or not, as before.
  const written = (content: object) => {
    const app = file && applicationOf(file);
    return app === null || app === undefined ? content : { app, ...content };
  };
  if (sides.theirs.has(name))
    return { says: 'theirs is in the file', content: theirs === undefined ? null : written(theirs) };
  if (theirs === undefined) return { says: `it is gone there. ${choice}`, isRefused: true };
  const { content, conflicts } = mergeThreeWay(base, mine, theirs);
  if (conflicts.length > 0) return { says: `you both changed ${conflicts.join(', ')}. ${choice}`, isRefused: true };
  // A watch that has merged comes back here before it applies.
  if (isSame(content, mine)) return { says: null };
  return { says: 'merged into the file', content: written(content as object) };
}

/** The resources that are no longer as this checkout last pulled or applied them. */
export async function changedSince(session: FilesSession, base: Base): Promise<string[]> {
  const changed = (await versionsOf(session, base)).filter(
    ({ name, base: before, theirs }) => !isSame(before, theirs) && !base.others.includes(name),
  );
  return changed.map(({ name }) => name);
}

/** Every resource of the application, at the base, here and there. */
async function versionsOf({ connection, environment, files }: FilesSession, base: Base): Promise<Versions[]> {
  const { resources } = (await connection.post(environmentPath(environment, 'export'))).data as {
    resources: { resourceType: string; code: string; content: object }[];
  };
  const own = new Map(files.resources.map((file) => [nameOf(file), file]));
  const there = new Map(
    resources.flatMap((one) => {
      const isOurs = own.has(nameOf(one)) || applicationOf(one) === files.manifest.name;
      return isOurs ? [[nameOf(one), withoutApplication(one.content)] as const] : [];
    }),
  );
  const names = new Set([...own.keys(), ...there.keys(), ...Object.keys(base.contents)]);
  return [...names].sort().map((name) => {
    const file = own.get(name);
    return {
      name,
      base: base.contents[name],
      mine: file && withoutApplication(file.content),
      theirs: there.get(name),
      file,
    };
  });
}

/** Who changed a resource, and when, in words. */
async function authorsOf({ connection, environment, files }: FilesSession): Promise<(name: string) => string> {
  const path = withQuery(environmentPath(environment, 'drift'), { application: files.manifest.name });
  const { appliedAt, appliedByName, resources } = (await connection.get(path)).data as {
    appliedAt: string;
    appliedByName: string;
    resources: { resourceType: string; code: string; byName: string | null; at: string }[];
  };
  const single = new Map(resources.map((one) => [nameOf(one), one]));
  return (name) => {
    // What is as its last apply says was changed by that.
    const { byName = appliedByName, at = appliedAt } = single.get(name) ?? {};
    return `was changed by ${byName ?? 'someone'} at ${at}`;
  };
}
