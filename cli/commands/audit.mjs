import { pipeline } from 'node:stream/promises';
import { AUDIT, withQuery, LARGEST_PAGE } from '../api-paths.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { table } from '../output.mjs';
import { printable } from '../terminal.mjs';

const FILTERS = /** @type {const} */ ({
  action: { type: 'string', about: 'such as promotion.apply, or promotion.*' },
  actor: { type: 'string', about: 'the pid of the user' },
  target: { type: 'string', about: 'the pid of the environment, promotion or resource' },
  environment: { type: 'string', about: 'its code' },
  since: { type: 'string', about: 'from this time on (ISO 8601)' },
  until: { type: 'string', about: 'before this time (ISO 8601)' },
});

/** @type {import('../command-line.mjs').Command} */
export const audit = {
  arguments: [],
  about: 'list who did what and why, newest first; --verify checks the hash chain',
  example: 'keelson audit --action promotion.* --limit 50',
  options: {
    ...FILTERS,
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
    verify: { type: 'boolean', about: `check the whole hash chain; exit with ${EXIT.failure} if it is broken` },
    ndjson: { type: 'boolean', about: 'all matching entries as JSON lines, oldest first' },
  },
  async run(invocation) {
    const { verify, ndjson } = invocation.options;
    if (verify && ndjson) throw new UsageError('--verify and --ndjson exclude each other');
    if (verify) return verifyChain(invocation);
    return ndjson ? exportAll(invocation) : list(invocation);
  },
};

/** @typedef {import('../command-line.mjs').Invocation} Invocation */

async function verifyChain(/** @type {Invocation} */ { connection, output }) {
  const { data } = await connection.get(`${AUDIT}/verify`);
  const { ok, entries, brokenAt } = data;
  await output.show(data, () =>
    ok ? `The chain of ${entries} entries is whole` : `The chain is broken at ${brokenAt}`,
  );
  return ok ? EXIT.ok : EXIT.failure;
}

async function exportAll(/** @type {Invocation} */ { connection, options }) {
  const lines = connection.stream(withQuery(AUDIT, filterOf(options)), 'application/x-ndjson');
  await pipeline(process.stdout.isTTY ? printableChunks(lines) : lines, process.stdout, { end: false });
  return EXIT.ok;
}

/** For a terminal. */
async function* printableChunks(/** @type {AsyncIterable<Uint8Array>} */ chunks) {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield printable(decoder.decode(chunk, { stream: true }));
}

async function list(/** @type {Invocation} */ { connection, output, options }) {
  const { limit = '20' } = options;
  const { data } = await connection.get(withQuery(AUDIT, { ...filterOf(options), pageSize: limit }));
  const head = ['AT', 'ACTOR', 'ACTION', 'ENVIRONMENT', 'TARGET', 'REASON'];
  await output.show(data, () => table(head, data.records.map(row)));
  return EXIT.ok;
}

function filterOf(/** @type {Record<string, any>} */ options) {
  return Object.fromEntries(Object.keys(FILTERS).map((name) => [name, options[name]]));
}

function row(/** @type {any} */ { at, actor, action, environment, targetPid, reason }) {
  return [at, actor.username, action, environment, targetPid, reason];
}
