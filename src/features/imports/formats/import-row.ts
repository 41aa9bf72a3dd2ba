import { validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Message } from '../../../foundation/i18n/text.ts';

/** The bytes of an uploaded file. */
export interface SourceFile {
  readonly size: number;
  /** From the first to the last, both included. */
  read(range: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>;
}

/** A row of a file; without values where something is wrong with all of it. */
export interface ImportRow {
  /** From 1, the row with the names of columns included. */
  readonly number: number;
  /** By column. What the file does not say is missing; null is an empty cell. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problem: Message | null;
}

/** A line of a table. */
export interface TableLine {
  readonly number: number;
  readonly cells: readonly unknown[];
}

/** Whether a line before that with the names of columns has nothing to be seen. */
export function isBlank({ cells }: TableLine): boolean {
  return cells.every((cell) => cell === null || (typeof cell === 'string' && cell.trim() === ''));
}

/** A problem of the whole file: none of its rows can be read. */
export function unreadable(problem: Message): ApplicationError {
  return validationError({ filePid: problem });
}

export function allOf(file: SourceFile): AsyncIterable<Buffer> {
  return file.size === 0 ? (async function* () {})() : file.read({ start: 0, end: file.size - 1 });
}
