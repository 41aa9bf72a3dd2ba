import { writeFile } from 'node:fs/promises';
import { asLines, print, printable, printableLine } from './terminal.mjs';

/** What a column keeps where the terminal is narrow. */
const NARROWEST = 8;
/** What is given to other commands has to be whole. */
const WHOLE = /^([0-9A-HJKMNP-TV-Z]{26}|-)$/;
/** Two columns wide in a terminal: Chinese, Japanese, Korean, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Prints a command's result: JSON for programs, text for people. */
export class Output {
  #json;

  /** @param {{json: boolean}} options */
  constructor({ json }) {
    this.#json = json;
  }

  /**
   * @param {unknown} data the envelope's data
   * @param {() => string | Promise<string>} text the same for a person
   */
  async show(data, text) {
    print(`${this.#json ? JSON.stringify(data, null, 2) : await text()}\n`);
  }
}

/**
 * Writes a file or standard output, byte for byte. A terminal gets no control characters, and a line break at
 * the end.
 */
export async function writeBytes(/** @type {string | undefined} */ file, /** @type {string} */ text) {
  if (file !== undefined && file !== '-') return writeFile(file, text);
  process.stdout.write(process.stdout.isTTY ? printable(`${text}\n`) : text);
}

/**
 * Formats aligned columns; null and undefined become a dash. At a terminal the widest columns are shortened
 * until a row fits into a line, but for those of pids.
 * @param {readonly string[]} head
 * @param {readonly (readonly unknown[])[]} rows
 * @param {number} room characters of a line
 */
export function table(head, rows, room = (process.stdout.isTTY && process.stdout.columns) || Infinity) {
  const texts = [head, ...rows].map((row) => row.map((value) => printableLine(textOf(value))));
  const widths = widthsWithin(room, texts);
  return texts
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * A table of the first of many.
 * @param {readonly string[]} head
 * @param {readonly (readonly unknown[])[]} rows
 * @param {number | null | undefined} total of how many; null: of more
 */
export function pageTable(head, rows, total) {
  const shown = table(head, rows);
  if (total === null) return `${shown}\n${asLines([`${rows.length}, and there are more: see --limit`])}`;
  return total !== undefined && total > rows.length ? `${shown}\n${asLines([`${rows.length} of ${total}`])}` : shown;
}

/** An object as a table of its members. */
export function membersTable(/** @type {object} */ members) {
  return table(['FIELD', 'VALUE'], Object.entries(members), Infinity);
}

function textOf(/** @type {unknown} */ value) {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

/** @returns {number[]} of the columns */
function widthsWithin(/** @type {number} */ room, /** @type {string[][]} */ texts) {
  const columns = (texts[0] ?? []).map((_, column) => texts.map((row) => row[column] ?? ''));
  const widths = columns.map((cells) => Math.min(room, Math.max(...cells.map(widthOf))));
  const isFixed = columns.map((cells) => cells.slice(1).every((cell) => WHOLE.test(cell)));
  const total = () => widths.reduce((sum, width) => sum + width + 2, -2);
  while (total() > room) {
    const widest = Math.max(...widths.filter((_, column) => !isFixed[column]), 0);
    if (widest <= NARROWEST) break;
    widths[widths.findIndex((width, column) => width === widest && !isFixed[column])] = widest - 1;
  }
  return widths;
}

function padded(/** @type {string} */ cell, /** @type {number} */ width) {
  const shown = widthOf(cell) > width ? `${startOf(cell, width - 1)}…` : cell;
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
}

function startOf(/** @type {string} */ cell, /** @type {number} */ width) {
  let start = '';
  for (const character of cell) {
    if (widthOf(start + character) > width) break;
    start += character;
  }
  return start;
}

function widthOf(/** @type {string} */ text) {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}
