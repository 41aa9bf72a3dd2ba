import { setTimeout as sleep } from 'node:timers/promises';
import { EXECUTIONS, withQuery, LARGEST_PAGE } from '../api-paths.mjs';
import { ENVIRONMENT, headersOf } from '../environment-option.mjs';
import { EXIT } from '../outcome.mjs';
import { table } from '../output.mjs';
import { printableLine } from '../terminal.mjs';
import { AGO, timeAgo } from '../times.mjs';

const FOLLOW_EVERY_MS = 2_000;
const HEAD = ['AT', 'STATUS', 'COMMAND', 'RECORD', 'USER', 'EXECUTION', 'ERROR'];
const LAST_PAGE = 100;

/** @typedef {import('../command-line.mjs').Invocation} Invocation */

/** @type {import('../command-line.mjs').Command} */
export const logs = {
  arguments: ['[execution]'],
  about: 'list the commands that were executed, oldest first; with execution:read those of everyone; one in full',
  example: 'keelson logs --env dev --status FAILED --since 1h --follow',
  options: {
    ...ENVIRONMENT,
    command: { type: 'string', about: 'only this command' },
    status: { type: 'string', about: 'only RECEIVED, RUNNING, SUCCEEDED, FAILED or CANCELLED' },
    since: { type: 'string', about: `from this time on ${AGO}` },
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
    follow: { type: 'boolean', short: 'f', about: 'go on with new ones, until Ctrl-C' },
  },
  async run(invocation) {
    const { connection, output, args, options } = invocation;
    const headers = headersOf(options);
    if (args[0] !== undefined) {
      const { data } = await connection.get(`${EXECUTIONS}/${encodeURIComponent(args[0])}`, headers);
      await output.show(data, () => JSON.stringify(data, null, 2));
      return EXIT.ok;
    }
    const read = reader(invocation, headers);
    const known = await read(options.limit ?? '20');
    await output.show(known, () => table(HEAD, known.map(row)));
    if (options.follow) await follow(invocation, read, known);
    return EXIT.ok;
  },
};

/** @returns {(pageSize: string) => Promise<any[]>} the newest executions, the oldest of them first */
function reader(/** @type {Invocation} */ { connection, options }, /** @type {Record<string, string>} */ headers) {
  const { command: commandCode, status, since } = options;
  const filter = { commandCode, status, since: timeAgo('since', since) };
  return async (pageSize) =>
    (await connection.get(withQuery(EXECUTIONS, { ...filter, pageSize }), headers)).data.records.reverse();
}

/** @param {(pageSize: string) => Promise<any[]>} read @param {any[]} known */
async function follow(/** @type {Invocation} */ { output }, read, known) {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  // An execution is shown again when its status has changed.
  let shown = new Set(known.map(stateOf));
  while (await sleep(FOLLOW_EVERY_MS, true, { signal: stop.signal }).catch(() => false)) {
    const records = await read(String(LAST_PAGE));
    const fresh = records.filter((one) => !shown.has(stateOf(one)));
    shown = new Set(records.map(stateOf));
    if (fresh.length > 0) await output.show(fresh, () => fresh.map((one) => row(one).map(cell).join('  ')).join('\n'));
  }
}

function stateOf(/** @type {any} */ { pid, status }) {
  return `${pid} ${status}`;
}

function cell(/** @type {unknown} */ value) {
  return printableLine(String(value ?? '-'));
}

function row(/** @type {any} */ { pid, commandCode, status, targetRecordId, username, error, startedAt }) {
  return [startedAt, status, commandCode, targetRecordId, username, pid, error && `${error.code}: ${error.message}`];
}
