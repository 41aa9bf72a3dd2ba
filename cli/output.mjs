import { writeFile } from 'node:fs/promises';
import { print, printable, printableLine } from './terminal.mjs';

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
 * Formats aligned columns; null and undefined become a dash.
 * @param {readonly string[]} head
 * @param {readonly (readonly unknown[])[]} rows
 */
export function table(head, rows) {
  const texts = [head, ...rows].map((row) => row.map((cell) => printableLine(String(cell ?? '-'))));
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
