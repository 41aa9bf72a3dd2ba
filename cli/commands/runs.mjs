import { AUTOMATIONS, LARGEST_PAGE, pathBelow, RUNS, withQuery } from '../api-paths.mjs';
import { assigned, SET } from '../assignments.mjs';
import { ENVIRONMENT, headersOf } from '../environment-option.mjs';
import { EXIT } from '../outcome.mjs';
import { membersTable, pageTable } from '../output.mjs';
import { printableLine, print } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */
/** @typedef {import('../command-line.mjs').Invocation} Invocation */

const PID = '01J9ZQ4W7N5Z3V8Q2M6T0K1R4C';
const LIMIT = /** @type {const} */ ({ type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' });

/** @type {Command} */
export const listRuns = {
  arguments: [],
  about: 'list the runs of automations, newest first',
  example: 'keelson runs list --automation lead_follow_up --status FAILED',
  options: {
    ...ENVIRONMENT,
    automation: { type: 'string', field: 'automationCode', about: 'only those of this automation' },
    status: { type: 'string', about: 'only PENDING, RUNNING, WAITING, SUCCEEDED, FAILED or CANCELLED' },
    limit: LIMIT,
  },
  async run({ connection, output, options }) {
    const { automation, status, limit = '20' } = options;
    const query = { automationCode: automation, status, pageSize: limit };
    const { data } = await connection.get(withQuery(RUNS, query), headersOf(options));
    const head = ['AT', 'STATUS', 'AUTOMATION', 'BY', 'STARTED BY', 'RUN', 'ERROR'];
    await output.show(data, () => pageTable(head, data.records.map(row), data.total));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const listApprovals = {
  arguments: [],
  about: 'list the steps that wait for your approval, the oldest first',
  example: 'keelson runs approvals',
  options: { ...ENVIRONMENT, limit: LIMIT },
  async run({ connection, output, options }) {
    const { limit = '20' } = options;
    const path = withQuery(pathBelow(AUTOMATIONS, 'approvals'), { pageSize: limit });
    const { data } = await connection.get(path, headersOf(options));
    const head = ['SINCE', 'AUTOMATION', 'RUN', 'STEP', 'MESSAGE', 'YOU MAY'];
    await output.show(data, () => pageTable(head, data.records.map(approvalRow), data.total));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const showRun = {
  arguments: ['<run>'],
  about: 'show a run with its steps',
  example: `keelson runs show ${PID}`,
  options: { ...ENVIRONMENT },
  async run({ connection, output, args: [pid = ''], options }) {
    const { data } = await connection.get(pathBelow(RUNS, pid), headersOf(options));
    await output.show(data, () => toldRun(data));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const startRun = {
  arguments: ['<automation>'],
  about: 'begin a run of an automation; --watch follows it to its end',
  example: 'keelson runs start lead_follow_up --set leadPid=01J9ZQ4W7N5Z3V8Q2M6T0K1R4C --watch',
  options: {
    ...ENVIRONMENT,
    ...SET,
    watch: { type: 'boolean', about: 'show its steps as they come' },
  },
  async run(invocation) {
    const { connection, output, args, options } = invocation;
    const path = pathBelow(AUTOMATIONS, args[0] ?? '', 'runs');
    const { data } = await connection.post(path, { input: assigned(options.set) }, headersOf(options));
    if (options.watch) return watch(invocation, data.runPid);
    await output.show(data, () => toldRun(data));
    return EXIT.ok;
  },
};

/** @type {Command} */
export const watchRun = {
  arguments: ['<run>'],
  about: `show the steps of a run as they come, to its end; exit with ${EXIT.failure} unless it succeeds`,
  example: `keelson runs watch ${PID}`,
  options: { ...ENVIRONMENT },
  run: (invocation) => watch(invocation, invocation.args[0] ?? ''),
};

export const approveRun = decisionCommand('approve', 'say yes to a step that waits for you');
export const rejectRun = decisionCommand('reject', 'say no to a step that waits for you');
export const cancelRun = changeCommand('cancel', 'end a run, and undo what it has done', {
  reason: { type: 'string', about: 'text for those who look at it' },
});
export const retryRun = changeCommand('retry', 'have a failed run go on from where it failed', {});

/** @returns {Command} */
function decisionCommand(/** @type {'approve' | 'reject'} */ verb, /** @type {string} */ about) {
  return {
    arguments: ['<run>'],
    about,
    example: `keelson runs ${verb} ${PID} --comment checked`,
    options: {
      ...ENVIRONMENT,
      step: { type: 'string', about: 'its key, where several wait: keelson runs approvals' },
      comment: { type: 'string', about: 'text for those who look at it' },
    },
    run: (invocation) => change(invocation, 'approve', { approved: verb === 'approve' }, ['step', 'comment']),
  };
}

/** @returns {Command} */
function changeCommand(
  /** @type {'cancel' | 'retry'} */ request,
  /** @type {string} */ about,
  /** @type {Record<string, import('../command-line.mjs').Option>} */ own,
) {
  return {
    arguments: ['<run>'],
    about,
    example: `keelson runs ${request} ${PID}`,
    options: { ...ENVIRONMENT, ...own },
    run: (invocation) => change(invocation, request, {}, Object.keys(own)),
  };
}

/**
 * @param {Invocation} invocation
 * @param {string} request
 * @param {object} body
 * @param {readonly string[]} texts options that go into it
 */
async function change({ connection, output, args: [pid = ''], options }, request, body, texts) {
  const given = texts.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const whole = { ...body, ...Object.fromEntries(given) };
  const { data } = await connection.post(pathBelow(RUNS, pid, request), whole, headersOf(options));
  await output.show(data, () => toldRun(data));
  return EXIT.ok;
}

/** @param {Invocation} invocation @param {string} pid */
async function watch({ connection, output, options }, pid) {
  const headers = headersOf(options);
  const path = pathBelow(RUNS, pid);
  for await (const { event, data } of connection.events(`${path}/stream`, headers)) {
    if (!options.json && ['run', 'step'].includes(event)) print(`${liveLine(event, data)}\n`);
  }
  const { data } = await connection.get(path, headers);
  await output.show(data, () => toldRun(data));
  return data.status === 'SUCCEEDED' ? EXIT.ok : EXIT.failure;
}

function liveLine(/** @type {string} */ event, /** @type {any} */ { key, type, status, error, progress }) {
  const problem = error ? `  ${error.code}: ${error.message}` : '';
  const what =
    event === 'step' ? `  ${key} (${type})  ${status}` : `${status}  ${progress.finished} of ${progress.total}`;
  return printableLine(what + problem);
}

function row(/** @type {any} */ { runPid, createdAt, status, automationCode, trigger, startedBy, error }) {
  return [createdAt, status, automationCode, trigger, startedBy.username, runPid, error && toldError(error)];
}

function approvalRow(/** @type {any} */ { since, automationCode, runPid, step, message, mayDecide }) {
  return [since, automationCode, runPid, step, message, mayDecide ? 'decide' : 'not: you started it'];
}

function toldRun(/** @type {any} */ { steps, stepCount, error, startedBy, ...about }) {
  const members = { ...about, startedBy: startedBy.username, ...(error && { error: toldError(error) }) };
  const head = ['STEP', 'TYPE', 'STATUS', 'STARTED', 'FINISHED', 'ERROR'];
  return `${membersTable(members)}\n\n${pageTable(head, steps.map(stepRow), stepCount)}`;
}

function stepRow(/** @type {any} */ { key, type, status, startedAt, finishedAt, error }) {
  return [key, type, status, startedAt, finishedAt, error && toldError(error)];
}

function toldError(/** @type {any} */ { code, message }) {
  return `${code}: ${message}`;
}
