import { LARGEST_PAGE, pathBelow, WEBHOOKS, withQuery } from '../api-paths.mjs';
import { ENVIRONMENT, headersOf } from '../environment-option.mjs';
import { EXIT } from '../outcome.mjs';
import { membersTable, pageTable } from '../output.mjs';
import { secretLine } from '../standard-input.mjs';
import { asLines, tell } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

const PID = '01J9ZQ4W7N5Z3V8Q2M6T0K1R4C';

/** @type {Command} */
export const listWebhooks = {
  arguments: [],
  about: 'list the webhook subscriptions, newest first',
  example: 'keelson webhooks list --keyword warehouse',
  options: {
    ...ENVIRONMENT,
    keyword: { type: 'string', about: 'a part of the name' },
    event: { type: 'string', field: 'eventType', about: 'only those to this event type' },
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
  },
  async run({ connection, output, options }) {
    const { keyword, event, limit = '20' } = options;
    const query = { keyword, eventType: event, pageSize: limit };
    const { data } = await connection.get(withQuery(WEBHOOKS, query), headersOf(options));
    const head = ['PID', 'NAME', 'EVENTS', 'TARGET', 'STATE'];
    await output.show(data, () => pageTable(head, data.records.map(row), data.total));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const addWebhook = {
  arguments: ['<name>', '<url>'],
  about: 'have events sent to an address, with your rights',
  example: 'keelson webhooks add warehouse https://warehouse.example/hook --event rental.* --secret < secret.txt',
  options: {
    ...ENVIRONMENT,
    event: { type: 'string', field: 'eventType', about: 'the event type, or a prefix with *' },
    model: { type: 'string', field: 'modelCode', about: 'only events of this model' },
    filter: { type: 'string', field: 'filterExpression', about: 'only events for which this CEL expression is true' },
    secret: { type: 'boolean', about: 'the first line of standard input signs the requests' },
  },
  required: ['event'],
  async run({ connection, output, args: [name = '', targetUrl = ''], options }) {
    const { event: eventType, model: modelCode, filter: filterExpression } = options;
    const secret = options.secret ? await secretLine('keelson webhooks add ... --secret') : undefined;
    const body = { name, targetUrl, eventType, modelCode, filterExpression, secret };
    const { data } = await connection.post(WEBHOOKS, body, headersOf(options));
    for (const warning of data.warnings ?? []) tell(`warning: ${warning}\n`);
    await output.show(data, () => asLines([`${data.name} is ${stateOf(data)}, with the pid ${data.pid}`]));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const showWebhook = {
  arguments: ['<subscription>'],
  about: 'show a subscription with its settings, never its secret',
  example: `keelson webhooks show ${PID}`,
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: [pid = ''], options }) {
    const { data } = await connection.get(pathBelow(WEBHOOKS, pid), headersOf(options));
    await output.show(data, () => membersTable(data));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const testWebhook = {
  arguments: ['<subscription>'],
  about: `send one request to its target at once; exit with ${EXIT.failure} if it was not delivered`,
  example: `keelson webhooks test ${PID}`,
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: [pid = ''], options }) {
    const { data } = await connection.post(pathBelow(WEBHOOKS, pid, 'test'), {}, headersOf(options));
    const { delivered, statusCode, durationMs, error, response } = data;
    await output.show(data, () => {
      const outcome = error ? `${error.errorClass}: ${error.message}` : `status ${statusCode}`;
      const body = response?.body ? [response.body] : [];
      return asLines([`${delivered ? 'delivered' : 'not delivered'} in ${durationMs} ms, ${outcome}`, ...body]);
    });
    return delivered ? EXIT.ok : EXIT.failure;
  },
};

/** @type {Command} */
export const rotateWebhook = {
  arguments: ['<subscription>'],
  about: 'make a new secret, which is shown once; the old one signs, too, for the overlap',
  example: `keelson webhooks rotate ${PID} --overlap 48`,
  options: {
    ...ENVIRONMENT,
    overlap: { type: 'string', upTo: 9_999, field: 'overlapHours', about: 'how many hours the old one is good (24)' },
  },
  async run({ connection, output, args: [pid = ''], options }) {
    const { overlap } = options;
    const body = overlap === undefined ? {} : { overlapHours: Number(overlap) };
    const { data } = await connection.post(pathBelow(WEBHOOKS, pid, 'rotate-secret'), body, headersOf(options));
    await output.show(data, () => asLines([data.secret]));
    return EXIT.ok;
  },
};

export const enableWebhook = switchCommand('enable', 'have a subscription get events');
export const disableWebhook = switchCommand('disable', 'have it get none; what is unfinished is cancelled');

/** @returns {Command} */
function switchCommand(/** @type {'enable' | 'disable'} */ action, /** @type {string} */ about) {
  const isOff = action === 'disable';
  return {
    arguments: ['<subscription>'],
    about,
    example: `keelson webhooks ${action} ${PID}`,
    options: { ...ENVIRONMENT, ...(isOff && { reason: { type: 'string', about: 'text for those who look at it' } }) },
    async run({ connection, output, args: [pid = ''], options }) {
      const body = options.reason ? { reason: options.reason } : {};
      const { data } = await connection.post(pathBelow(WEBHOOKS, pid, action), body, headersOf(options));
      await output.show(data, () => asLines([`${data.name} is ${stateOf(data)}`]));
      return EXIT.ok;
    },
  };
}

function row(/** @type {any} */ subscription) {
  const { pid, name, eventType, targetUrl } = subscription;
  return [pid, name, eventType, targetUrl, stateOf(subscription)];
}

function stateOf(/** @type {any} */ { enabled, paused, disabledReason, circuit }) {
  if (!enabled) return disabledReason ? `disabled: ${disabledReason}` : 'disabled';
  if (paused) return `paused: ${paused}`;
  return circuit.state === 'CLOSED' ? 'enabled' : `enabled, circuit ${circuit.state}`;
}
