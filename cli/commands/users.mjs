import { LARGEST_PAGE, ME, pathBelow, USERS, withQuery } from '../api-paths.mjs';
import { EXIT, Failure } from '../outcome.mjs';
import { pageTable } from '../output.mjs';
import { everyRecord } from '../paging.mjs';
import { splitList } from '../resource-names.mjs';
import { secretLine } from '../standard-input.mjs';
import { asLines } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */
/** @typedef {import('../connection.mjs').Connection} Connection */

/** @type {Command} */
export const listUsers = {
  arguments: [],
  about: 'list the users with their roles; those of all tenants with admin:users',
  example: 'keelson users list --keyword ada --status active',
  options: {
    keyword: { type: 'string', about: 'a part of the name or the e-mail' },
    status: { type: 'string', about: 'only active, or disabled' },
    tenant: { type: 'string', field: 'tenantId', about: 'only those of this tenant (its id)' },
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
  },
  async run({ connection, output, options }) {
    const { keyword, status, tenant, limit = '20' } = options;
    const { data } = await connection.get(withQuery(USERS, { keyword, status, tenantId: tenant, pageSize: limit }));
    const head = ['EMAIL', 'NAME', 'STATUS', 'ROLES', 'PID'];
    await output.show(data, () => pageTable(head, data.records.map(row), data.total));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const addUser = {
  arguments: ['<email>'],
  about: 'make a user; without --password an e-mail asks the person to choose one',
  example: 'keelson users add ada@acme.example --name Ada --role SALES --role ADMIN',
  options: {
    name: { type: 'string', field: 'username', about: 'as others see the person' },
    role: { type: 'string', multiple: true, field: 'memberships', about: 'a role in the tenant (may be repeated)' },
    tenant: { type: 'string', about: 'the id of the tenant (your own)' },
    password: { type: 'boolean', about: 'the first line of standard input is the password' },
  },
  required: ['name', 'role'],
  async run({ connection, output, args: [email = ''], options }) {
    const { name, role, tenant, password } = options;
    const tenantId = tenant ?? (await connection.get(ME)).data.tenantId;
    const { data } = await connection.post(USERS, {
      email,
      username: name,
      memberships: [{ tenantId, roles: splitList(role) }],
      ...(password && { password: await secretLine('keelson users add ... --password') }),
    });
    await output.show(data, () => asLines([`${data.email} is ${data.status}, with the pid ${data.pid}`]));
    return EXIT.ok;
  },
};

export const disableUser = statusCommand('disable', 'disabled', 'have a user log in no more; ends all sessions');
export const enableUser = statusCommand('enable', 'active', 'have a user log in again');

/** @returns {Command} */
function statusCommand(
  /** @type {string} */ verb,
  /** @type {'active' | 'disabled'} */ status,
  /** @type {string} */ about,
) {
  return {
    arguments: ['<user>'],
    about,
    example: `keelson users ${verb} ada@acme.example`,
    async run({ connection, output, args: [user = ''] }) {
      const pid = user.includes('@') ? await pidOf(connection, user) : user;
      const { data } = await connection.patch(pathBelow(USERS, pid), { status });
      await output.show(data, () => {
        const left = data.leftBehind.map((/** @type {any} */ { kind, name, pid: of }) => {
          return `stopped working: ${kind} ${name} (${of})`;
        });
        return asLines([`${data.email} is ${data.status}`, ...left]);
      });
      return EXIT.ok;
    },
  };
}

/** @throws {Failure} */
async function pidOf(/** @type {Connection} */ connection, /** @type {string} */ email) {
  for await (const user of everyRecord(connection, USERS, { keyword: email })) {
    if (user.email.toLowerCase() === email.toLowerCase()) return user.pid;
  }
  throw new Failure(`There is no user ${email}`);
}

function row(/** @type {any} */ { email, username, status, memberships, pid }) {
  const several = memberships.length > 1;
  const roles = memberships.map((/** @type {any} */ { tenantName, roles: own }) => {
    return `${several ? `${tenantName}: ` : ''}${own.join(', ')}`;
  });
  return [email, username, status, roles.join('; '), pid];
}
