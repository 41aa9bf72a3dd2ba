import { text } from 'node:stream/consumers';
import { environmentPath } from '../api-paths.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { table } from '../output.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const secrets = {
  arguments: ['<environment>'],
  about: 'list the names of its secrets; their values are never shown',
  async run({ connection, output, args: [environment = ''] }) {
    const { data } = await connection.get(environmentPath(environment, 'secrets'));
    await output.show(data, () => table(['NAME', 'UPDATED', 'BY'], data.map(row)));
    return EXIT.ok;
  },
};

function row(/** @type {any} */ { name, updatedAt, updatedBy }) {
  return [name, updatedAt, updatedBy];
}

/** @type {Command} */
export const setSecret = {
  arguments: ['<environment>', '<name>'],
  about: 'set or replace a secret: the first line of standard input',
  async run({ connection, output, args: [environment = '', name = ''] }) {
    const value = await readValue();
    const { data } = await connection.put(secretPath(environment, name), { value });
    await output.show(data, () => `${name} is set in ${environment}`);
    return EXIT.ok;
  },
};

/** @type {Command} */
export const removeSecret = {
  arguments: ['<environment>', '<name>'],
  about: 'remove a secret that no resource needs',
  async run({ connection, output, args: [environment = '', name = ''] }) {
    const { data } = await connection.delete(secretPath(environment, name));
    await output.show(data, () => `${name} is removed from ${environment}`);
    return EXIT.ok;
  },
};

/** Reads standard input, because arguments are visible to other users of the machine and stored by shells. */
async function readValue() {
  if (process.stdin.isTTY) throw new UsageError('Send the value to standard input: keelson set-secret ... < file');
  const [value = ''] = (await text(process.stdin)).split(/\r?\n/);
  if (value === '') throw new UsageError('There is no value on standard input');
  return value;
}

function secretPath(/** @type {string} */ environment, /** @type {string} */ name) {
  return environmentPath(environment, `secrets/${encodeURIComponent(name)}`);
}
