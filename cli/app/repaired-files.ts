import type { FieldErrors } from '../../src/foundation/errors/application-error.ts';
import type { ResourceFile } from './application-files.ts';

/** A resource without what is wrong with it by itself. */
export interface RepairedFile {
  readonly file: ResourceFile;
  /** The words of what was left out: problems of others that name one of them follow from it. */
  readonly lost: ReadonlySet<string>;
}

/** What is wrong may be so in parts that come up once others are left out. */
const ROUNDS = 5;

/**
 * Leaves out what is wrong, so that the rest, and what refers to it, can be checked in the same run.
 * @param problemsOf what is wrong with a content, by its path
 * @returns null where nothing is left that would be right
 */
export function repaired(file: ResourceFile, problemsOf: (content: object) => FieldErrors): RepairedFile | null {
  const whole = { content: structuredClone(file.content) };
  const lost = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const paths = Object.keys(problemsOf(whole.content));
    if (paths.length === 0) return { file: { ...file, content: whole.content }, lost };
    // What is not there is missing in its parent, which cannot stay then.
    const present = new Set(
      paths.map((path) =>
        stepsTo(whole, path)
          .map(({ key }) => key)
          .join('.'),
      ),
    );
    // From the end: items of lists that are left out move the ones behind them.
    const ordered = [...present].sort((one, other) => other.localeCompare(one, undefined, { numeric: true }));
    if (!ordered.every((path) => leaveOut(whole, path, lost))) return null;
  }
  return null;
}

/** @returns whether there is something else that stays */
function leaveOut(whole: object, path: string, lost: Set<string>): boolean {
  const steps = stepsTo(whole, path);
  const last = steps.at(-1);
  if (!last || steps.length < 2) return false;
  for (const word of wordsIn(last.value)) lost.add(word);
  if (Array.isArray(last.of)) last.of.splice(Number(last.key), 1);
  else Reflect.deleteProperty(last.of, last.key);
  return true;
}

/** The members on the way to a place, as far as they are there. */
function stepsTo(whole: object, path: string) {
  const steps: { readonly of: object; readonly key: string; readonly value: unknown }[] = [];
  let of: unknown = whole;
  for (const key of path.split('.')) {
    if (typeof of !== 'object' || of === null || !Object.hasOwn(of, key)) break;
    const value: unknown = (of as Record<string, unknown>)[key];
    steps.push({ of, key, value });
    of = value;
  }
  return steps;
}

const WORD = /[\p{L}\p{N}_]+/gu;

function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.match(WORD) ?? [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsIn) : [];
}

/** Whether a problem of a file may follow from what was left out of others. */
export function isConsequence(
  { content }: ResourceFile,
  path: string,
  problem: string,
  lost: ReadonlySet<string>,
): boolean {
  if (lost.size === 0) return false;
  const named = stepsTo({ content }, path).at(-1)?.value;
  return [...wordsIn(problem), ...(typeof named === 'string' ? wordsIn(named) : [])].some((word) => lost.has(word));
}
