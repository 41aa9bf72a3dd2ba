import { environmentPath, withQuery } from '../api-paths.mjs';
import { EXIT, Failure, UsageError } from '../outcome.mjs';
import { table } from '../output.mjs';
import { asLines } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

const ENVIRONMENT = /** @type {const} */ ({ type: 'string', about: 'the environment (dev)' });

/** @type {Command} */
export const fields = {
  arguments: ['[model]'],
  about: 'list removed fields whose columns are still there; of one model with the numbers of their values',
  example: 'keelson fields list ticket --env prod',
  options: { env: ENVIRONMENT },
  async run({ connection, output, args: [model], options: { env = 'dev' } }) {
    const found = await removedFields(connection, env, model);
    await output.show(found, () => {
      const rows = found.flatMap(({ modelCode, fields: removed }) =>
        removed.map(({ code, column, values }) => [modelCode, code, column, values]),
      );
      const notes = found.map(({ modelCode, columnsMade, rewrite }) => {
        const time = rewrite ? `; writing it anew takes about ${rewrite.seconds} s (${rewrite.megabytes} MiB)` : '';
        return `${modelCode}: ${columnsMade} of 1600 columns are used up${time}`;
      });
      return `${table(['MODEL', 'FIELD', 'COLUMN', 'VALUES'], rows)}\n${asLines(notes)}`;
    });
    return EXIT.ok;
  },
};

/** @type {Command} */
export const dropFields = {
  arguments: ['<model>', '[field...]'],
  about: 'drop the columns of removed fields, with their values; --rewrite gives their places back',
  example: 'keelson fields drop ticket old_code --values 120 --rewrite --reason "not used since May"',
  options: {
    env: ENVIRONMENT,
    values: { type: 'string', about: 'consent: how many values are lost with them in all' },
    rewrite: { type: 'boolean', about: 'write the table anew; its readers and writers wait' },
    reason: { type: 'string', about: 'reason for the audit trail' },
  },
  required: ['reason'],
  async run({ connection, output, args: [model = '', ...named], options }) {
    const { env = 'dev', values, rewrite = false, reason } = options;
    if (named.length === 0 && !rewrite) throw new UsageError('Name the fields to drop, or say --rewrite');
    const [known] = await removedFields(connection, env, model);
    const counts = named.map((code) => [code, countOf(known, code)]);
    const lost = counts.reduce((sum, [, count]) => sum + Number(count), 0);
    if (String(lost) !== (values ?? '0'))
      throw new Failure(`${lost} values would be lost: say --values ${lost} to consent`);
    const body = { modelCode: model, fields: Object.fromEntries(counts), rewrite, reason };
    const { data } = await connection.post(environmentPath(env, 'removed-fields/drop'), body);
    await output.show(data, () => {
      const dropped = data.dropped.length === 0 ? [] : [`dropped: ${data.dropped.join(', ')}`];
      return asLines([...dropped, `${data.modelCode}: ${data.columnsMade} of 1600 columns are used up`]);
    });
    return EXIT.ok;
  },
};

/**
 * @param {import('../connection.mjs').Connection} connection
 * @param {string} environment
 * @param {string | undefined} modelCode
 * @returns {Promise<any[]>}
 */
async function removedFields(connection, environment, modelCode) {
  return (await connection.get(withQuery(environmentPath(environment, 'removed-fields'), { modelCode }))).data;
}

/** @returns {number} */
function countOf(/** @type {any} */ known, /** @type {string} */ code) {
  const field = known?.fields.find((/** @type {any} */ one) => one.code === code);
  if (!field) throw new Failure(`${code} is no removed field of this model`);
  return field.values;
}
