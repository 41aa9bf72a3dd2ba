import { parseJson } from '../envelope.mjs';
import { EXECUTE, LARGEST_PAGE, recordsPath, withQuery } from '../api-paths.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { table } from '../output.mjs';
import { asLines } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

const ENVIRONMENT = /** @type {const} */ ({
  env: { type: 'string', about: 'the environment (that of the service)' },
});

/** @type {Command} */
export const list = {
  arguments: ['<page>'],
  about: 'list records of a page',
  example: 'keelson list leads --sort -created_at --columns name,status --limit 5',
  options: {
    ...ENVIRONMENT,
    where: {
      type: 'string',
      multiple: true,
      about: 'a condition: field, operator, and a value (JSON, or a text); several are joined by AND',
    },
    keyword: { type: 'string', about: 'a word that the records have' },
    sort: { type: 'string', about: 'a field; with - before it, the greatest first' },
    columns: { type: 'string', about: 'fields, separated by commas (those of the page)' },
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
  },
  async run({ connection, output, args: [page = ''], options }) {
    const { where = [], keyword, sort, columns, limit = '20' } = options;
    const query = {
      ...(where.length > 0 && { filters: JSON.stringify(where.map(conditionOf)) }),
      ...(sort !== undefined && {
        sortField: sort.replace(/^-/, ''),
        sortOrder: sort.startsWith('-') ? 'desc' : 'asc',
      }),
      keyword,
      fields: columns,
      pageSize: limit,
    };
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
    await output.show(data, () =>
      table(
        ['FIELD', 'VALUE'],
        Object.entries(data).map(([code, value]) => [code, cell(value)]),
      ),
    );
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
    set: { type: 'string', multiple: true, about: 'field=value of the payload; a value is JSON, or a text' },
    record: { type: 'string', about: 'the pid of the record that it works on' },
    operation: { type: 'string', about: 'CREATE, UPDATE, UPSERT or DELETE, where the command does several' },
    version: { type: 'string', upTo: 999_999_999, about: 'the version that the record has to have' },
    'dry-run': { type: 'boolean', about: 'undo all that it does, and show that' },
  },
  async run({ connection, output, args: [code = ''], options }) {
    const { set = [], record, operation, version } = options;
    const body = {
      payload: Object.fromEntries(set.map(assignmentOf)),
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

function headersOf(/** @type {Record<string, any>} */ { env }) {
  return env ? { 'x-environment': env } : {};
}

/** @throws {UsageError} */
function conditionOf(/** @type {string} */ given) {
  const [, fieldName, operator, value] = /^\s*(\S+)\s+(\S+)(?:\s+(.*\S))?\s*$/s.exec(given) ?? [];
  if (!fieldName || !operator)
    throw new UsageError(`--where takes a field, an operator and a value, such as 'status eq open': not ${given}`);
  return { fieldName, operator, ...(value !== undefined && { value: valueOf(value) }) };
}

/** @returns {[string, unknown]} @throws {UsageError} */
function assignmentOf(/** @type {string} */ given) {
  const at = given.indexOf('=');
  if (at < 1) throw new UsageError(`--set takes field=value, such as name=Ada: not ${given}`);
  return [given.slice(0, at), valueOf(given.slice(at + 1))];
}

/** What is no JSON is a text; so is a number that JSON would write otherwise, such as `12.50`. */
function valueOf(/** @type {string} */ text) {
  const value = parseJson(text);
  if (value === null && text !== 'null') return text;
  return typeof value === 'number' && String(value) !== text ? text : value;
}

/** @param {any} data @param {readonly string[] | undefined} asked */
function listed({ records, total }, asked) {
  const [first = {}] = records;
  const codes =
    asked ?? Object.keys(first).filter((code) => code !== 'id' && code !== 'tenant_id' && code !== 'expanded');
  const rows = records.map((/** @type {any} */ record) => codes.map((code) => cell(record[code])));
  const shown = table(
    codes.map((code) => code.toUpperCase()),
    rows,
  );
  return total > records.length ? `${shown}\n${asLines([`${records.length} of ${total}`])}` : shown;
}

function changeRow(/** @type {any} */ { at, version, action, actor, commandCode, changes }) {
  const fields = Object.entries(/** @type {Record<string, {from: unknown, to: unknown}>} */ (changes));
  const told = fields.map(([code, { from, to }]) => `${code}: ${cell(from) ?? '-'} -> ${cell(to) ?? '-'}`);
  return [at, version, action, actor.username ?? actor.userPid, commandCode, told.join(', ')];
}

function cell(/** @type {unknown} */ value) {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
}
