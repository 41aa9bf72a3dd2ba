import { ENVIRONMENTS, environmentPath } from '../api-paths.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { table } from '../output.mjs';
import { printableLine } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const environments = {
  arguments: [],
  about: 'list the environments with their policies, locks and resource counts',
  example: 'keelson environments --json',
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
export const unlock = lockCommand('unlock', 'unlock an environment');

/** @returns {Command} */
function lockCommand(/** @type {'lock' | 'unlock'} */ action, /** @type {string} */ about) {
  return {
    arguments: ['<environment>'],
    about,
    example: `keelson ${action} prod --reason audit`,
    options: { reason: { type: 'string', about: 'reason for the audit trail' } },
    required: ['reason'],
    async run({ connection, output, args: [environment = ''], options: { reason } }) {
      const { status, data } = await connection.post(environmentPath(environment, action), { reason });
      const waits = status === 202;
      await output.show(data, () => {
        const pending = waits ? '\nunlocking waits for a second person: a promotion into it is open' : '';
        const state = data.locked ? `locked: ${printableLine(data.lockReason)}` : 'unlocked';
        return `${data.code} is ${state}${pending}`;
      });
      return waits ? EXIT.secondPerson : EXIT.ok;
    },
  };
}

/** @type {Command} */
export const policy = {
  arguments: ['<environment>'],
  about: 'change who must approve promotions; where four eyes are needed, loosening it takes a second person',
  example: 'keelson policy prod --min-approvals 2 --reason audit',
  options: {
    'min-approvals': { type: 'string', about: 'number of approvals beside the creator' },
    'expires-hours': { type: 'string', about: 'how long a promotion may wait' },
    'self-approve': { type: 'string', about: 'true or false: whether the creator counts' },
    'unlock-approval': {
      type: 'string',
      about: 'true or false: whether unlocking takes two people while a promotion is open',
    },
    reason: { type: 'string', about: 'reason for the audit trail' },
  },
  required: ['reason'],
  async run({ connection, output, args: [environment = ''], options: { reason, ...options } }) {
    const approvalPolicy = parsePolicy(options);
    const { status, data } = await connection.patch(environmentPath(environment), { approvalPolicy, reason });
    await output.show(data, () => {
      const pending = data.pendingPolicy
        ? `\nwaits for a second person: ${policyText(data.pendingPolicy.approvalPolicy)}`
        : '';
      return `${data.code}: ${policyText(data.approvalPolicy)}${pending}`;
    });
    return status === 202 ? EXIT.secondPerson : EXIT.ok;
  },
};

function parsePolicy(/** @type {Record<string, any>} */ options) {
  const { 'min-approvals': minApprovals, 'expires-hours': expiresHours, 'self-approve': selfApprove } = options;
  const unlockApproval = options['unlock-approval'];
  if (!(minApprovals ?? expiresHours ?? selfApprove ?? unlockApproval)) {
    throw new UsageError('Set at least one of --min-approvals, --expires-hours, --self-approve and --unlock-approval');
  }
  if (![undefined, 'true', 'false'].includes(selfApprove)) throw new UsageError('--self-approve is true or false');
  if (![undefined, 'true', 'false'].includes(unlockApproval))
    throw new UsageError('--unlock-approval is true or false');
  return {
    ...(unlockApproval !== undefined && { unlockApproval: unlockApproval === 'true' }),
    ...(minApprovals !== undefined && { minApprovals: Number(minApprovals) }),
    ...(expiresHours !== undefined && { expiresHours: Number(expiresHours) }),
    ...(selfApprove !== undefined && { selfApprove: selfApprove === 'true' }),
  };
}

function policyText(/** @type {any} */ { minApprovals, expiresHours, selfApprove }) {
  return `${minApprovals} approvals, ${expiresHours} hours, the creator ${selfApprove ? 'counts' : 'does not count'}`;
}
