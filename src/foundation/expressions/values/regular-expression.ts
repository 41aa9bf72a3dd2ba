import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { text, type Message } from '../../i18n/text.ts';

/** Instructions of a compiled pattern. */
const MAX_PROGRAM = 2_000;
/** Instructions times characters of one match: about 20 ms at worst. */
const MAX_MATCH_WORK = 500_000;
/** RE2's automaton is fast once its states are known, but a large program has too many of them. */
const MAX_PROGRAM_OF_AUTOMATON = 64;

/** A regular expression in RE2's syntax: its time is linear in its program and in the text. */
export interface RegularExpression {
  /** Number of instructions: a match costs at most this times the number of characters. */
  readonly size: number;
  /** Longest text that is matched against it in a bounded time. */
  readonly maxLength: number;
  /** Whether a part of the text matches. */
  test(text: string): boolean;
}

/** Compiled patterns, and the problems of those that do not compile. */
const known = new LRUCache<string, RegularExpression | InvalidPattern>({ max: 2_000 });

/** A pattern that does not compile. */
export class InvalidPattern extends Error {
  readonly problem: Message;

  constructor(problem: Message) {
    super(String(problem));
    this.problem = problem;
  }
}

/** Compiles each pattern once. @throws InvalidPattern */
export function compilePattern(source: string): RegularExpression {
  let found = known.get(source);
  if (!found) {
    found = compile(source);
    known.set(source, found);
  }
  if (found instanceof InvalidPattern) throw found;
  return found;
}

/** Problem of a pattern whose texts have up to `maxLength` characters, or null. */
export function problemOfPattern(source: string, maxLength: number): Message | null {
  try {
    const { maxLength: max } = compilePattern(source);
    return max >= maxLength ? null : text('fits texts of at most {max} characters: lower maxLength', { max });
  } catch (error) {
    return (error as InvalidPattern).problem;
  }
}

function compile(source: string): RegularExpression | InvalidPattern {
  // The translation from JavaScript's syntax would take a named reference for the letter k.
  if (/(?<!\\)(?:\\\\)*\\k/.test(source)) return invalid(source, '\\k', '');
  const translated = RE2JS.translateRegExp(source);
  if (sizeAtMost(translated) > 2 * MAX_PROGRAM) return tooLarge();
  try {
    const compiled = RE2JS.compile(translated);
    const size = compiled.programSize();
    if (size > MAX_PROGRAM) return tooLarge();
    const small = size <= MAX_PROGRAM_OF_AUTOMATON;
    const maxLength = Math.floor(MAX_MATCH_WORK / size);
    return { size, maxLength, test: (given) => (small ? compiled.test(given) : compiled.matcher(given).find()) };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return invalid(source, error.getPattern() ?? '', error.getDescription());
  }
}

function tooLarge(): InvalidPattern {
  return new InvalidPattern(text('is too large: its repetitions make more than {max} steps', { max: MAX_PROGRAM }));
}

function invalid(source: string, fragment: string, reason: string): InvalidPattern {
  const position = Math.max(source.indexOf(fragment), 0) + 1;
  if (/^\(\?<?[=!]/.test(fragment)) {
    return new InvalidPattern(text('must not look ahead or behind: character {position}', { position }));
  }
  if (/^\\[k1-9]/.test(fragment)) {
    return new InvalidPattern(text('must not refer back to a group: character {position}', { position }));
  }
  const problem = 'is not a regular expression of RE2: {reason}, character {position}';
  return new InvalidPattern(text(problem, { reason, position }));
}

/**
 * Upper bound of a pattern's program, from its text: compiling `a{1000}` seventy times over takes a second.
 * Within a group, nested repetitions multiply.
 */
function sizeAtMost(source: string): number {
  const groups: number[] = [];
  let [total, atom] = [0, 0];
  const tokens = /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{(\d*),?(\d*)\}|[^]/g;
  for (const [token, min, max] of source.matchAll(tokens)) {
    if (min !== undefined) {
      const times = Math.max(Number(min), Number(max), 1);
      total += atom * times;
      atom *= times;
    } else if (token === '(') {
      groups.push(total);
      total = 0;
    } else if (token === ')') {
      atom = total + 2;
      total = (groups.pop() ?? 0) + atom;
    } else {
      atom = token.startsWith('\\Q') ? token.length : 2;
      total += atom;
    }
  }
  return groups.reduce((sum, each) => sum + each, total);
}
