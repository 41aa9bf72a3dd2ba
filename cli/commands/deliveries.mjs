import { DELIVERIES, LARGEST_PAGE, pathBelow, withQuery } from '../api-paths.mjs';
import { ENVIRONMENT, headersOf } from '../environment-option.mjs';
import { EXIT } from '../outcome.mjs';
import { membersTable, pageTable, table } from '../output.mjs';
import { printable, asLines } from '../terminal.mjs';
import { AGO, timeAgo } from '../times.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

const PID = '01J9ZQ4W7N5Z3V8Q2M6T0K1R4C';

/** @type {Command} */
export const listDeliveries = {
  arguments: [],
  about: 'list the deliveries of webhooks, newest first',
  example: 'keelson deliveries list --status FAILED --since 2h',
  options: {
    ...ENVIRONMENT,
    webhook: { type: 'string', field: 'subscriptionPid', about: 'only those of this subscription (its pid)' },
    status: { type: 'string', about: 'only PENDING, RETRYING, SUCCEEDED, FAILED or CANCELLED' },
    answer: { type: 'string', field: 'statusClass', about: 'only those last answered so: 2xx, 3xx, 4xx, 5xx, none' },
    event: { type: 'string', field: 'eventType', about: 'only those of this event type' },
    since: { type: 'string', about: `from this time on ${AGO}` },
    until: { type: 'string', about: `before this time ${AGO}` },
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
  },
  async run({ connection, output, options }) {
    const { webhook, status, answer, event, limit = '20' } = options;
    const query = {
      subscriptionPid: webhook,
      status,
      statusClass: answer,
      eventType: event,
      since: timeAgo('since', options.since),
      until: timeAgo('until', options.until),
      pageSize: limit,
    };
    const { data } = await connection.get(withQuery(DELIVERIES, query), headersOf(options));
    const head = ['AT', 'STATUS', 'EVENT', 'SUBSCRIPTION', 'ATTEMPTS', 'LAST', 'DELIVERY'];
    const total = data.nextCursor === null ? undefined : null;
    await output.show(data, () => pageTable(head, data.records.map(row), total));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const showDelivery = {
  arguments: ['<delivery>'],
  about: 'show a delivery with its attempts and what was sent',
  example: `keelson deliveries show ${PID}`,
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: [pid = ''], options }) {
    const { data } = await connection.get(pathBelow(DELIVERIES, pid), headersOf(options));
    await output.show(data, () => {
      const { attempts, body, request, ...about } = data;
      const head = ['ATTEMPT', 'AT', 'BY', 'MS', 'STATUS', 'ERROR'];
      const parts = [membersTable({ ...about, url: request.url }), table(head, attempts.map(attemptRow))];
      return [...parts, ...(body === null ? [] : [printable(body)])].join('\n\n');
    });
    return EXIT.ok;
  },
};

/** @type {Command} */
export const resendDeliveries = {
  arguments: ['<delivery>', '[delivery...]'],
  about: `send deliveries again; exit with ${EXIT.failure} if one cannot be sent`,
  example: `keelson deliveries resend ${PID}`,
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: pids, options }) {
    const { data } = await connection.post(pathBelow(DELIVERIES, 'resend'), { pids }, headersOf(options));
    const { resent, refused } = data;
    await output.show(data, () =>
      asLines([
        ...resent.map((/** @type {string} */ pid) => `${pid} is sent again`),
        ...refused.map((/** @type {any} */ { pid, reason }) => `${pid} is not: ${reason}`),
      ]),
    );
    return refused.length === 0 ? EXIT.ok : EXIT.failure;
  },
};

function row(/** @type {any} */ delivery) {
  const { pid, createdAt, status, eventType, subscriptionName, attemptCount, maxAttempts, lastAttempt } = delivery;
  const last = lastAttempt && (lastAttempt.statusCode ?? lastAttempt.errorClass);
  return [createdAt, status, eventType, subscriptionName, `${attemptCount} of ${maxAttempts}`, last, pid];
}

function attemptRow(/** @type {any} */ { number, startedAt, trigger, durationMs, statusCode, errorClass, ...rest }) {
  const error = errorClass && [errorClass, rest.errorMessage].filter(Boolean).join(': ');
  return [number, startedAt, trigger, durationMs, statusCode, error];
}
