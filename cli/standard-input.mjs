import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './outcome.mjs';
import { printableLine } from './terminal.mjs';

/** The first line: arguments are visible to other users of the machine and stored by shells. */
export async function secretLine(/** @type {string} */ usage) {
  if (process.stdin.isTTY) throw new UsageError(`Send the value to standard input: ${usage} < file`);
  const [value = ''] = (await text(process.stdin)).split(/\r?\n/);
  if (value === '') throw new UsageError('There is no value on standard input');
  return value;
}

/**
 * Asks before what cannot be undone, unless `--yes` was given.
 * @throws {UsageError} where no person can be asked
 */
export async function isAgreed(/** @type {string} */ question, /** @type {Record<string, any>} */ { yes }) {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask at: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${printableLine(question)} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
