import { text, type Message } from '../../../foundation/i18n/text.ts';

/**
 * A problem with the line and column of its place in the SQL, which both count from 1.
 * @param offset from 0
 */
export function withPosition(problem: Message, sql: string, offset: number): Message {
  const before = sql.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return text('{problem} (line {line}, column {column})', { problem, line: before.length, column });
}

/** The index in a text of a place that Postgres counts in code points, from 0. */
export function indexAt(sql: string, codePoints: number): number {
  return [...sql].slice(0, codePoints).join('').length;
}
