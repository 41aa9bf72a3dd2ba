import { writeFile } from 'node:fs/promises';

/** Where a command's result goes: JSON for programs, text for people. */
export class Output {
  #json;

  /** @param {{json: boolean}} options */
  constructor({ json }) {
    this.#json = json;
  }

  /**
   * The result of a command.
   * @param {unknown} data the envelope's data
   * @param {() => string | Promise<string>} text the same for a person to read
   */
  async show(data, text) {
    process.stdout.write(`${this.#json ? JSON.stringify(data, null, 2) : await text()}\n`);
  }
}

/** Writes a file, or standard output, byte for byte. A terminal gets a line's end, so that the prompt is not beside it. */
export async function writeBytes(/** @type {string | undefined} */ file, /** @type {string} */ text) {
  if (file !== undefined && file !== '-') return writeFile(file, text);
  process.stdout.write(process.stdout.isTTY ? `${text}\n` : text);
}

/**
 * Columns that line up; null and undefined are a dash.
 * @param {readonly string[]} head
 * @param {readonly (readonly unknown[])[]} rows
 */
export function table(head, rows) {
  const texts = [head, ...rows].map((row) => row.map((cell) => String(cell ?? '-')));
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
