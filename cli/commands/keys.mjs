import { LARGEST_PAGE, pathBelow, SERVICE_ACCOUNTS, withQuery } from '../api-paths.mjs';
import { EXIT, Failure } from '../outcome.mjs';
import { pageTable } from '../output.mjs';
import { everyRecord } from '../paging.mjs';
import { splitList } from '../resource-names.mjs';
import { isAgreed } from '../standard-input.mjs';
import { asLines, tell } from '../terminal.mjs';
import { timeAhead } from '../times.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */
/** @typedef {import('../connection.mjs').Connection} Connection */

/** @type {Command} */
export const listKeys = {
  arguments: [],
  about: 'list the service accounts of the tenant with their API keys, never the keys themselves',
  example: 'keelson keys list',
  options: { limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many accounts (20)' } },
  async run({ connection, output, options: { limit = '20' } }) {
    const { data } = await connection.get(withQuery(SERVICE_ACCOUNTS, { pageSize: limit }));
    const head = ['ACCOUNT', 'KEY', 'PREFIX', 'STATE', 'EXPIRES', 'LAST USED', 'SCOPES'];
    await output.show(data, () => {
      const shown = data.total > data.records.length ? `\n${data.records.length} of ${data.total} accounts` : '';
      return pageTable(head, data.records.flatMap(rows), undefined) + shown;
    });
    return EXIT.ok;
  },
};

/** @type {Command} */
export const createKey = {
  arguments: ['<account>'],
  about: 'make an API key of a service account; the key is shown only now',
  example: 'keelson keys create ci --new-account --scope admin:metadata --expires 90d',
  options: {
    scope: { type: 'string', multiple: true, field: 'scopes', about: 'a permission code (may be repeated)' },
    expires: { type: 'string', field: 'expiresAt', about: 'when it ends (ISO 8601), or in how long: 90d' },
    'new-account': { type: 'boolean', about: 'make the service account, too' },
  },
  required: ['scope'],
  async run({ connection, output, args: [name = ''], options }) {
    const expiresAt = timeAhead('expires', options.expires);
    const pid = options['new-account'] ? await newAccount(connection, name) : await accountPid(connection, name);
    const body = { scopes: splitList(options.scope), ...(expiresAt && { expiresAt }) };
    const { data } = await connection.post(pathBelow(SERVICE_ACCOUNTS, pid, 'keys'), body);
    // The key alone goes to standard output: a script can take it from there.
    if (!options.json) tell(`The key ${data.pid} of ${name} ends at ${data.expiresAt}\n`);
    await output.show(data, () => asLines([data.key]));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const revokeKey = {
  arguments: ['<key>'],
  about: 'revoke an API key, by its pid or its prefix, for good',
  example: 'keelson keys revoke 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C --yes',
  options: { yes: { type: 'boolean', about: 'do not ask' } },
  async run({ connection, output, args: [key = ''], options }) {
    const { account, found } = await findKey(connection, key);
    if (!(await isAgreed(`Revoke the key ${found.prefix} of ${account.name}?`, options))) return EXIT.failure;
    await connection.delete(pathBelow(SERVICE_ACCOUNTS, account.pid, 'keys', found.pid));
    const data = { pid: found.pid, account: account.name };
    await output.show(data, () => asLines([`The key ${found.prefix} of ${account.name} works no more`]));
    return EXIT.ok;
  },
};

/** @returns {Promise<string>} its pid */
async function newAccount(/** @type {Connection} */ connection, /** @type {string} */ name) {
  return (await connection.post(SERVICE_ACCOUNTS, { name })).data.pid;
}

/** @returns {Promise<string>} @throws {Failure} */
async function accountPid(/** @type {Connection} */ connection, /** @type {string} */ named) {
  for await (const { pid, name } of everyRecord(connection, SERVICE_ACCOUNTS)) {
    if (named === name || named === pid) return pid;
  }
  throw new Failure(`There is no service account ${named}: --new-account makes it`);
}

/** @returns {Promise<{account: any, found: any}>} @throws {Failure} */
async function findKey(/** @type {Connection} */ connection, /** @type {string} */ named) {
  for await (const account of everyRecord(connection, SERVICE_ACCOUNTS)) {
    const found = account.keys.find((/** @type {any} */ { pid, prefix }) => named === pid || named === prefix);
    if (found) return { account, found };
  }
  throw new Failure(`There is no key ${named}: keelson keys list`);
}

function rows(/** @type {any} */ { name, keys }) {
  if (keys.length === 0) return [[name, null, null, null, null, null, null]];
  return keys.map((/** @type {any} */ { pid, prefix, suspended, expiresAt, lastUsedAt, scopes }) => [
    name,
    pid,
    prefix,
    suspended ?? 'works',
    expiresAt,
    lastUsedAt,
    scopes.join(', '),
  ]);
}
