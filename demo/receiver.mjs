// Webhook receiver for the demo: checks both signatures and prints each delivery. Plain Node 20, no packages.
//
//   node demo/receiver.mjs [--port 9999] [--secret whsec_...] [--fail 2] [--delay 500]
//
// --fail responds to the first n requests with 500; --delay waits this many milliseconds before each
// response.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const toleranceSeconds = 5 * 60;
const rememberedIds = 10_000;
const bodyLimit = 5_000_000;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9999' },
    secret: { type: 'string', default: '' },
    fail: { type: 'string', default: '0' },
    delay: { type: 'string', default: '0' },
  },
});
const { secret } = values;
const [port, failures, delayMs] = [values.port, values.fail, values.delay].map((text) => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`${text} is not a number`);
  process.exit(2);
});

/** Ids of accepted events, because an event may arrive more than once. */
const accepted = new Set();
let requests = 0;

const server = createServer(async (request, response) => {
  const body = await bytesOf(request);
  requests += 1;
  const { headers } = request;
  const id = String(headers['webhook-id'] ?? '');
  const problem = body ? problemOf(headers, body) : 'the body is too large';
  const repeated = accepted.has(id);
  const status = problem ? 401 : requests <= failures ? 500 : 200;
  const verdict = problem ?? (secret ? 'signatures are right' : 'not signed: start with --secret to check');

  console.log(`\n${new Date().toISOString()} ${request.method} ${request.url} -> ${status}`);
  console.log(
    `  event ${headers['x-webhook-event'] ?? '-'}, id ${id || '-'}${repeated ? ' (seen before: ignored)' : ''}`,
  );
  console.log(`  ${verdict}`);
  if (body) console.log(`  ${pretty(body).replaceAll('\n', '\n  ')}`);

  if (status === 200 && id) remember(id);
  await sleep(delayMs);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ received: status === 200, repeated, ...(problem ? { problem } : {}) }));
});
server.listen(port, '127.0.0.1', () => {
  console.log(
    `Listening on http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
  );
});

/** Problem of a request's signatures; undefined if they are valid, or without a secret. */
function problemOf(/** @type {import('node:http').IncomingHttpHeaders} */ headers, /** @type {Buffer} */ body) {
  if (!secret) return undefined;
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!isSame(String(headers['x-webhook-signature'] ?? ''), expected)) return 'X-Webhook-Signature is wrong or missing';

  const timestamp = String(headers['webhook-timestamp'] ?? '');
  const age = Date.now() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > toleranceSeconds) return 'webhook-timestamp is too old, or no time';
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const mac = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(body).digest('base64');
  // During a rotation there are several signatures; one valid signature is enough.
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  return signatures.some((one) => isSame(one, `v1,${mac}`)) ? undefined : 'webhook-signature is wrong or missing';
}

/** Compares in constant time. */
function isSame(/** @type {string} */ actual, /** @type {string} */ expected) {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function remember(/** @type {string} */ id) {
  accepted.add(id);
  if (accepted.size > rememberedIds) accepted.delete(accepted.values().next().value);
}

/** @returns {Promise<Buffer | undefined>} undefined if the body is too large */
async function bytesOf(/** @type {AsyncIterable<Buffer>} */ request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
  }
  return size <= bodyLimit ? Buffer.concat(chunks) : undefined;
}

/** Formats JSON; returns any other text unchanged. */
function pretty(/** @type {Buffer} */ body) {
  try {
    return JSON.stringify(JSON.parse(body.toString()), null, 2);
  } catch {
    return body.toString();
  }
}
