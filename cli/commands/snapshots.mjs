import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { environmentPath } from '../api-paths.mjs';
import { EXIT, Failure, Refused, UsageError } from '../outcome.mjs';
import { writeBytes } from '../output.mjs';
import { show, showAsItIs } from '../promotion-steps.mjs';
import { pidOf, splitList } from '../resource-names.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const exportCommand = {
  arguments: ['<environment>'],
  about: 'its whole configuration as a snapshot; equal configuration gives equal bytes',
  options: { out: { type: 'string', about: 'the file to write; without it, standard output' } },
  async run({ connection, args: [environment = ''], options: { out } }) {
    const { dataText } = await connection.post(environmentPath(environment, 'export'));
    await writeBytes(out, dataText);
    return EXIT.ok;
  },
};

/** @type {Command} */
export const importCommand = {
  arguments: ['<environment>', '[file]'],
  about: 'make an environment what a snapshot says (a file, or standard input)',
  options: {
    reason: { type: 'string', about: 'why; required unless the environment is open and unlocked' },
    consent: { type: 'string', multiple: true, about: 'agree to data getting out of reach: TYPE/code or pid, ...' },
  },
  async run({ connection, output, args: [environment = '', file], options: { reason, consent } }) {
    const snapshot = await readSnapshot(file);
    const named = Array.isArray(snapshot.resources) ? snapshot.resources : [];
    const consented = splitList(consent).map((one) => pidOf(one, named, 'in the snapshot: consent to it by its pid'));
    const body = { ...snapshot, ...(reason && { reason }), ...(consented.length > 0 && { consent: consented }) };
    try {
      const { status, data } = await connection.post(environmentPath(environment, 'import'), body);
      await show(connection, output, data);
      return status === 202 ? EXIT.secondPerson : EXIT.ok;
    } catch (error) {
      const { promotion, promotionPid = promotion?.pid } = (error instanceof Refused && error.data) || {};
      if (promotionPid) await showAsItIs(connection, output, promotionPid);
      throw error;
    }
  },
};

/** @returns {Promise<Record<string, unknown>>} */
async function readSnapshot(/** @type {string} */ file = '-') {
  if (file === '-' && process.stdin.isTTY) throw new UsageError('Name a file, or send the snapshot to standard input');
  const given = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((error) => {
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
  const snapshot = parse(given);
  if (typeof snapshot !== 'object' || snapshot === null || Array.isArray(snapshot)) {
    throw new Failure(`${file === '-' ? 'Standard input' : file} is not a snapshot: it must be a JSON object`);
  }
  return snapshot;
}

/** @returns {any} null where it is no JSON */
function parse(/** @type {string} */ given) {
  try {
    return JSON.parse(given);
  } catch {
    return null;
  }
}
