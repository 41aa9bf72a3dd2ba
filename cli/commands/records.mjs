import { EXECUTE, LARGEST_PAGE, recordsPath, withQuery } from '../api-paths.mjs';
import { assigned, SET } from '../assignments.mjs';
import { ENVIRONMENT, headersOf } from '../environment-option.mjs';
import { LIST_OPTIONS, listQuery } from '../list-query.mjs';
import { EXIT } from '../outcome.mjs';
import { membersTable, pageTable, table } from '../output.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const list = {
  arguments: ['<page>'],
  about: 'list records of a page',
  example: 'keelson list leads --sort -created_at --columns name,status --limit 5',
  options: {
    ...ENVIRONMENT,
    ...LIST_OPTIONS,
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
  },
  async run({ connection, output, args: [page = ''], options }) {
    const { columns, limit = '20' } = options;
    const query = { ...listQuery(options), pageSize: limit };
    const { data } = await connection.get(withQuery(recordsPath(page, 'list'), query), headersOf(options));
    await output.show(data, () => listed(data, columns?.split(',')));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const get = {
  arguments: ['<page>', '<record>'],
  about: 'show one record, by its pid',
  example: 'keelson get leads 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C',
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: [page = '', pid = ''], options }) {
    const { data } = await connection.get(recordsPath(page, pid), headersOf(options));
    await output.show(data, () => membersTable(data));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const history = {
  arguments: ['<page>', '<record>'],
  about: 'list the changes of a record, newest first',
  example: 'keelson history leads 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C',
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: [page = '', pid = ''], options }) {
    const { data } = await connection.get(recordsPath(page, pid, 'history'), headersOf(options));
    const rows = data.records.map(changeRow);
    await output.show(data, () => table(['AT', 'VERSION', 'ACTION', 'USER', 'COMMAND', 'CHANGES'], rows));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const run = {
  arguments: ['<command>'],
  about: 'execute a command of the application; --dry-run shows what it would do',
  example: 'keelson run crm:create_lead --set name=Ada --dry-run',
  options: {
    ...ENVIRONMENT,
    ...SET,
    record: { type: 'string', field: 'targetRecordId', about: 'the pid of the record that it works on' },
    operation: {
      type: 'string',
      field: 'operationType',
      about: 'CREATE, UPDATE, UPSERT or DELETE, where the command does several',
    },
    version: { type: 'string', upTo: 999_999_999, about: 'the version that the record has to have' },
    'dry-run': { type: 'boolean', about: 'undo all that it does, and show that' },
  },
  async run({ connection, output, args: [code = ''], options }) {
    const { set, record, operation, version } = options;
    const body = {
      payload: assigned(set),
      ...(record !== undefined && { targetRecordId: record }),
      ...(operation !== undefined && { operationType: operation }),
      ...(version !== undefined && { expectedVersion: Number(version) }),
      ...(options['dry-run'] && { dryRun: true }),
    };
    const path = `${EXECUTE}/${encodeURIComponent(code)}`;
    const { data } = await connection.post(path, body, headersOf(options));
    await output.show(data, () => JSON.stringify(data, null, 2));
    return EXIT.ok;
  },
};

/** @param {any} data @param {readonly string[] | undefined} asked */
function listed({ records, total }, asked) {
  const [first = {}] = records;
  const codes =
    asked ?? Object.keys(first).filter((code) => code !== 'id' && code !== 'tenant_id' && code !== 'expanded');
  const rows = records.map((/** @type {any} */ record) => codes.map((code) => record[code]));
  return pageTable(
    codes.map((code) => code.toUpperCase()),
    rows,
    total,
  );
}

function changeRow(/** @type {any} */ { at, version, action, actor, commandCode, changes }) {
  const fields = Object.entries(/** @type {Record<string, {from: unknown, to: unknown}>} */ (changes));
  const told = fields.map(([code, { from, to }]) => `${code}: ${cell(from) ?? '-'} -> ${cell(to) ?? '-'}`);
  return [at, version, action, actor.username ?? actor.userPid, commandCode, told.join(', ')];
}

function cell(/** @type {unknown} */ value) {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
}
