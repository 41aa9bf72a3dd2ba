import { ENVIRONMENTS, environmentPath } from '../api-paths.mjs';
import { EXIT } from '../outcome.mjs';
import { table } from '../output.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const environments = {
  arguments: [],
  about: 'the environments, their policies, locks and what they hold',
  async run({ connection, output }) {
    const { data } = await connection.get(ENVIRONMENTS);
    const head = ['CODE', 'ID', 'POLICY', 'LOCK', 'METADATA', 'RESOURCES'];
    await output.show(data, () => table(head, data.map(row)));
    return EXIT.ok;
  },
};

function row(/** @type {any} */ { code, id, writePolicy, metadataVersion, resourceCounts, ...lock }) {
  const count = Object.values(resourceCounts ?? {}).reduce((sum, one) => Number(sum) + Number(one), 0);
  return [code, id, writePolicy, lock.locked ? `locked: ${lock.lockReason}` : 'unlocked', metadataVersion, count];
}

export const lock = lockCommand('lock', 'close an environment to direct changes; promotions then need two people');
export const unlock = lockCommand('unlock', 'open it again');

/** @returns {Command} */
function lockCommand(/** @type {'lock' | 'unlock'} */ action, /** @type {string} */ about) {
  return {
    arguments: ['<environment>'],
    about,
    options: { reason: { type: 'string', about: 'why; it is in the audit trail' } },
    required: ['reason'],
    async run({ connection, output, args: [environment = ''], options: { reason } }) {
      const { data } = await connection.post(environmentPath(environment, action), { reason });
      await output.show(data, () => `${data.code} is ${data.locked ? `locked: ${data.lockReason}` : 'unlocked'}`);
      return EXIT.ok;
    },
  };
}
