import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FILES, IMPORTS, LARGEST_PAGE, pathBelow, recordsPath, withQuery } from '../api-paths.mjs';
import { ENVIRONMENT, headersOf } from '../environment-option.mjs';
import { LIST_OPTIONS, listQuery } from '../list-query.mjs';
import { EXIT, Failure, UsageError } from '../outcome.mjs';
import { table } from '../output.mjs';
import { statusLine } from '../progress.mjs';
import { asLines, tell } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */
/** @typedef {import('../command-line.mjs').Invocation} Invocation */

const MEDIA_TYPES = /** @type {Record<string, string>} */ ({
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: 'application/x-ndjson',
});
const FORMATS = Object.keys(MEDIA_TYPES);
/** How many problems a person is shown. */
const SHOWN_PROBLEMS = 20;

/** @type {Command} */
export const importRecords = {
  arguments: ['<page>', '<file>'],
  about: 'make records of the rows of a file, by the commands of the page, and wait for the end',
  example: 'keelson records import leads leads.csv --map Company=name --map Mail=email --dry-run',
  options: {
    ...ENVIRONMENT,
    map: {
      type: 'string',
      multiple: true,
      field: 'mapping',
      about: 'COLUMN=FIELD; without it columns are named by the codes of fields',
    },
    'dry-run': { type: 'boolean', about: 'try all rows, undo them, and say what would happen' },
    mode: { type: 'string', about: 'create all rows, update the records that they match, or upsert (create)' },
    'match-on': { type: 'string', field: 'matchOn', about: 'the unique field, or pid, that finds records' },
    command: { type: 'string', field: 'commandCode', about: 'the command, where the model has several' },
    format: { type: 'string', about: `${FORMATS.join(', ')} (what the name of the file ends with)` },
    delimiter: { type: 'string', about: 'of a CSV file (what the rows show)' },
    errors: { type: 'string', about: 'write what is wrong with which row into this CSV file' },
    'failed-rows': { type: 'string', about: 'write the rows that failed into this CSV file, to be corrected' },
  },
  async run(invocation) {
    const { connection, output, args, options } = invocation;
    const [page = '', file = ''] = args;
    const request = requestOf(options, formatOf(options.format, file));
    const headers = headersOf(options);
    const { data: uploaded } = await connection.post(FILES, await formOf(file, request.format), headers);
    const path = recordsPath(page, 'imports');
    const { importPid } = (await connection.post(path, { ...request, filePid: uploaded.pid }, headers)).data;
    const ended = await watchImport(invocation, importPid);
    const pageSize = String(options.json ? LARGEST_PAGE : SHOWN_PROBLEMS);
    const problems = withQuery(pathBelow(IMPORTS, importPid, 'problems'), { pageSize });
    const { data } = await connection.get(problems, headers);
    await output.show({ ...ended, problems: data.records }, () => told(ended, data.records));
    const reports = [
      [ended.errorFilePid, options.errors],
      [ended.failedRowsFilePid, options['failed-rows']],
    ];
    for (const [pid, to] of reports)
      if (pid && to) await save(connection.stream(pathBelow(FILES, pid), 'text/csv', headers), to);
    return ended.status === 'SUCCEEDED' && ended.failed === 0 ? EXIT.ok : EXIT.failure;
  },
};

/** @type {Command} */
export const exportRecords = {
  arguments: ['<page>'],
  about: 'write all records of a list into a file, or to standard output',
  example: 'keelson records export leads --columns name,amount --sort -amount --out leads.csv',
  options: {
    ...ENVIRONMENT,
    ...LIST_OPTIONS,
    columns: { ...LIST_OPTIONS.columns, about: 'fields, separated by commas (all; @columns: those of the page)' },
    format: { type: 'string', about: `${FORMATS.join(', ')} (what --out ends with, csv)` },
    labels: { type: 'boolean', about: 'name columns as people do, with the names of related records' },
    out: { type: 'string', about: 'the file to write (standard output)' },
  },
  async run({ connection, output, args: [page = ''], options }) {
    const { out, labels } = options;
    const format = formatOf(options.format, out ?? 'list.csv');
    if (format === 'xlsx' && out === undefined && process.stdout.isTTY)
      throw new UsageError('A workbook is no text for a terminal: add --out');
    const query = { ...listQuery(options), format, ...(labels && { header: 'labels' }) };
    const path = withQuery(recordsPath(page, 'export'), query);
    const bytes = connection.stream(path, MEDIA_TYPES[format] ?? '', headersOf(options));
    if (out === undefined) {
      await pipeline(bytes, process.stdout, { end: false });
      return EXIT.ok;
    }
    await save(bytes, out);
    await output.show({ file: out, format }, () => asLines([`Wrote ${out}`]));
    return EXIT.ok;
  },
};

/** @throws {UsageError} */
function formatOf(/** @type {string | undefined} */ given, /** @type {string} */ file) {
  const format = given ?? extname(file).slice(1).toLowerCase();
  if (!FORMATS.includes(format))
    throw new UsageError(`--format is ${FORMATS.join(', ')}${given === undefined ? `: ${file} does not say` : ''}`);
  return format;
}

/** The body of an import, without its file. @throws {UsageError} */
function requestOf(/** @type {Record<string, any>} */ options, /** @type {string} */ format) {
  const { map = [], mode, command, delimiter } = options;
  const pairs = map.map((/** @type {string} */ given) => {
    const at = given.lastIndexOf('=');
    if (at < 1) throw new UsageError(`--map takes COLUMN=FIELD, such as Company=name: not ${given}`);
    return [given.slice(0, at), given.slice(at + 1)];
  });
  return {
    format,
    ...(pairs.length > 0 && { mapping: Object.fromEntries(pairs) }),
    ...(mode !== undefined && { mode }),
    ...(options['match-on'] !== undefined && { matchOn: options['match-on'] }),
    ...(command !== undefined && { commandCode: command }),
    ...(delimiter !== undefined && { delimiter }),
    ...(options['dry-run'] && { dryRun: true }),
  };
}

/** The file is read while it is sent. @throws {Failure} */
async function formOf(/** @type {string} */ file, /** @type {string} */ format) {
  await access(file, constants.R_OK).catch((error) => {
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
  const blob = await openAsBlob(file, { type: MEDIA_TYPES[format] ?? '' });
  const form = new FormData();
  form.set('file', blob, basename(file));
  return form;
}

/**
 * Shows how far an import is until it has ended. Ctrl-C cancels it.
 * @returns {Promise<any>}
 */
async function watchImport({ connection, options }, /** @type {string} */ pid) {
  const path = pathBelow(IMPORTS, pid);
  const headers = headersOf(options);
  const line = statusLine();
  const cancel = () => {
    tell('\nCancelling: what was done stays\n');
    connection.post(`${path}/cancel`, {}, headers).catch(() => undefined);
  };
  process.once('SIGINT', cancel);
  for await (const { event, data } of connection.events(`${path}/stream`, headers)) {
    if (event === 'import') line(`${data.done} of ${data.total ?? '?'} rows, ${data.failed} failed`);
  }
  process.off('SIGINT', cancel);
  line(null);
  return (await connection.get(path, headers)).data;
}

/** @param {any} ended @param {any[]} problems */
function told({ status, dryRun, total, created, updated, failed, error }, problems) {
  const would = dryRun ? 'would be ' : '';
  const lines = [
    `${status}${dryRun ? ' (a dry run: nothing was changed)' : ''}: ${total ?? 0} rows, ` +
      `${created} ${would}created, ${updated} ${would}updated, ${failed} ${dryRun ? 'would fail' : 'failed'}`,
  ];
  if (error) lines.push(`${error.code}: ${error.message}`);
  if (problems.length === 0) return asLines(lines);
  const rows = problems.map(({ row, column, code, message }) => [row, column, code, message]);
  return `${asLines(lines)}\n${table(['ROW', 'COLUMN', 'CODE', 'PROBLEM'], rows)}`;
}

/** A file that is there is a whole one. */
async function save(/** @type {AsyncIterable<Uint8Array>} */ bytes, /** @type {string} */ file) {
  const next = `${file}.${process.pid}.part`;
  try {
    await pipeline(bytes, createWriteStream(next));
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    if (/** @type {any} */ (error).syscall === undefined) throw error;
    throw new Failure(`${file} cannot be written: ${/** @type {Error} */ (error).message}`);
  }
}
