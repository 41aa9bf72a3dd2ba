import { environmentPath, RESEAL } from '../api-paths.mjs';
import { EXIT } from '../outcome.mjs';
import { table } from '../output.mjs';
import { secretLine } from '../standard-input.mjs';
import { asLines, tell } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const secrets = {
  arguments: ['<environment|reseal>'],
  about: 'list the names of its secrets, never values; reseal: seal all that is stored under the first SECRETS_KEY',
  example: 'keelson secrets prod',
  async run(invocation) {
    const {
      connection,
      output,
      args: [environment = ''],
    } = invocation;
    if (environment === 'reseal') return reseal(invocation);
    const { data } = await connection.get(environmentPath(environment, 'secrets'));
    await output.show(data, () => table(['NAME', 'UPDATED', 'BY'], data.map(row)));
    return EXIT.ok;
  },
};

function row(/** @type {any} */ { name, updatedAt, updatedBy, updatedByName }) {
  return [name, updatedAt, updatedByName ?? updatedBy];
}

/** Works through all that is stored, some of it with each request. */
async function reseal(/** @type {import('../command-line.mjs').Invocation} */ { connection, output }) {
  const done = { resealed: 0, unreadable: /** @type {string[]} */ ([]) };
  for (let body = {}; ;) {
    const { resealed, unreadable, left, cursor } = (await connection.post(RESEAL, body)).data;
    done.resealed += resealed;
    done.unreadable.push(...unreadable);
    if (cursor === null) break;
    tell(`${left} are left\n`);
    body = { cursor };
  }
  const lines = done.unreadable.map((name) => `cannot be opened, set it again: ${name}`);
  await output.show(done, () => asLines([`${done.resealed} sealed under the first SECRETS_KEY`, ...lines]));
  return lines.length === 0 ? EXIT.ok : EXIT.failure;
}

/** @type {Command} */
export const setSecret = {
  arguments: ['<environment>', '<name>'],
  about: 'set or replace a secret: the first line of standard input',
  example: 'keelson set-secret prod RATES_TOKEN < token.txt',
  async run({ connection, output, args: [environment = '', name = ''] }) {
    const value = await secretLine('keelson set-secret ...');
    const { data } = await connection.put(secretPath(environment, name), { value });
    await output.show(data, () => `${name} is set in ${environment}`);
    return EXIT.ok;
  },
};

/** @type {Command} */
export const removeSecret = {
  arguments: ['<environment>', '<name>'],
  about: 'remove a secret that no resource needs',
  example: 'keelson remove-secret prod RATES_TOKEN',
  async run({ connection, output, args: [environment = '', name = ''] }) {
    const { data } = await connection.delete(secretPath(environment, name));
    await output.show(data, () => `${name} is removed from ${environment}`);
    return EXIT.ok;
  },
};

function secretPath(/** @type {string} */ environment, /** @type {string} */ name) {
  return environmentPath(environment, `secrets/${encodeURIComponent(name)}`);
}
