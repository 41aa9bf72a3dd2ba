import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { environmentPath } from '../api-paths.mjs';
import { parseJson } from '../envelope.mjs';
import { EXIT, Failure, Refused, UsageError } from '../outcome.mjs';
import { writeBytes } from '../output.mjs';
import { APPLY_OPTIONS, show, showCurrent } from '../promotion-steps.mjs';
import { pidOf, splitList } from '../resource-names.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const exportCommand = {
  arguments: ['<environment>'],
  about: 'export its whole configuration; equal configuration gives equal bytes',
  example: 'keelson export prod --out prod.json',
  options: { out: { type: 'string', about: 'the file to write; default: standard output' } },
  async run({ connection, args: [environment = ''], options: { out } }) {
    const { dataText } = await connection.post(environmentPath(environment, 'export'));
    await writeBytes(out, dataText);
    return EXIT.ok;
  },
};

/** @type {Command} */
export const importCommand = {
  arguments: ['<environment>', '[file]'],
  about: 'replace the configuration of an environment by an export (a file, or standard input)',
  example: 'keelson import staging prod.json --reason as-in-prod',
  options: {
    reason: {
      type: 'string',
      about: 'reason for the audit trail; optional while the environment is open and unlocked',
    },
    consent: APPLY_OPTIONS.consent,
  },
  async run({ connection, output, args: [environment = '', file], options: { reason, consent } }) {
    const exported = await readExport(file);
    const named = Array.isArray(exported.resources) ? exported.resources : [];
    const consented = splitList(consent).map((one) => pidOf(one, named, 'in the export: use its pid'));
    const body = { ...exported, ...(reason && { reason }), ...(consented.length > 0 && { consent: consented }) };
    try {
      const { status, data } = await connection.post(environmentPath(environment, 'import'), body);
      await show(connection, output, data);
      return status === 202 ? EXIT.secondPerson : EXIT.ok;
    } catch (error) {
      const { promotion, promotionPid = promotion?.pid } = (error instanceof Refused && error.data) || {};
      if (promotionPid) await showCurrent(connection, output, promotionPid);
      throw error;
    }
  },
};

/** @returns {Promise<Record<string, unknown>>} */
async function readExport(/** @type {string} */ file = '-') {
  if (file === '-' && process.stdin.isTTY) throw new UsageError('Name a file, or send the export to standard input');
  const given = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((error) => {
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
  const exported = parseJson(given);
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    throw new Failure(`${file === '-' ? 'Standard input' : file} is not an export: it must be a JSON object`);
  }
  return exported;
}
