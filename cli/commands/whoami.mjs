import { ME } from '../api-paths.mjs';
import { EXIT } from '../outcome.mjs';
import { printableLine } from '../terminal.mjs';

/** @type {import('../command-line.mjs').Command} */
export const whoami = {
  arguments: [],
  about: 'say who you are, where, and with which roles',
  example: 'keelson whoami --profile work',
  async run({ connection, output, serviceUrl }) {
    const { data } = await connection.get(ME);
    const { username, email, tenantId, tenants, roles, environment } = data;
    const tenant = tenants.find((/** @type {any} */ one) => one.tenantId === tenantId)?.name ?? tenantId;
    const who = email === null ? username : `${username} <${email}>`;
    const told = `${who} at ${serviceUrl()} (${environment}, ${tenant}): ${roles.join(', ') || 'no role'}`;
    await output.show(data, () => printableLine(told));
    return EXIT.ok;
  },
};
