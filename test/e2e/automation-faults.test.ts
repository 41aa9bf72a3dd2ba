import { ulid } from 'ulid';
import { runWorkflowId } from '../../workflows/contracts.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';
import {
  act,
  createLead,
  getRun,
  leadsNamed,
  newAutomation,
  runIs,
  startRun,
  stepsOf,
} from '../support/automations.ts';
import { holdRecord, temporal, until } from '../support/faults.ts';
import { insert } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { startNodeHere } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { watch, type Watched } from '../support/streams.ts';
import { container, signedIn } from '../support/world.ts';

const { tenant, user } = signedIn('ADMIN');

/** Of a node with a task queue of its own: what it takes, only it does. */
const settings = (taskQueue: string, roles: string) => ({
  TEMPORAL_TASK_QUEUE: taskQueue,
  STREAM_RECHECK_MS: '1000',
  KEELSON_ROLES: roles,
});
const start = (taskQueue: string, roles: string) => startNodeHere(settings(taskQueue, roles));
/** Starts a node that the test stops or kills. */
const startDoomed = (taskQueue: string, roles: string) => startProgram(settings(taskQueue, roles));
const queue = (): string => `faults-${ulid()}`;
/** Advances of a run that have begun and not ended, as workers count them. */
async function advancesBegun(runPid = ''): Promise<number> {
  const [count] = await (await container()).store.pipeline([['get', `starts:advance:${runPid}`]]);
  return Number(count);
}

/**
 * Setup: a worker of the test's own. Timeline: it is killed while a step is under way. What this proves: the
 * step is done once.
 */
describe('a worker that is killed', () => {
  it('leaves no command undone, and none done twice', async () => {
    const name = `K ${ulid()}`;
    const [leadPid = ''] = await insert(tenant, 'lead', [{ name: 'held' }]);
    const code = await newAutomation({
      steps: [
        createLead('before', `"${name}"`),
        {
          id: 'held',
          type: 'command',
          commandCode: 'crm:update_lead',
          operationType: 'UPDATE',
          target: `"${leadPid}"`,
          payload: { amount: '"7"' },
        },
        createLead('after', `"${name}"`),
      ],
    });
    const taskQueue = queue();
    const [api, worker] = await Promise.all([start(taskQueue, 'api'), startDoomed(taskQueue, 'worker')]);
    const held = await holdRecord(tenant.id, 'dev.mt_lead', leadPid);
    const { body } = await startRun(user.token, code, {}, { baseUrl: api.url });
    const { runPid } = body.data;
    await held.waiting();

    await worker.stop('SIGKILL');
    await held.release();
    await start(taskQueue, 'worker');

    const run = await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']);
    expect([run.status, ...stepsOf(run)]).toEqual([
      'SUCCEEDED',
      'before SUCCEEDED',
      'held SUCCEEDED',
      'after SUCCEEDED',
    ]);
    expect(await leadsNamed(user.token, name)).toHaveLength(2);
    const executions = await runSql<{ commandCode: string; status: string }>(
      'select command_code, status from platform.command_execution where run_pid = $1 order by created_at',
      [runPid],
    );
    expect(executions.map(({ commandCode, status }) => `${commandCode} ${status}`)).toEqual([
      'crm:create_lead SUCCEEDED',
      'crm:update_lead SUCCEEDED',
      'crm:create_lead SUCCEEDED',
    ]);
  });
});

/**
 * Setup: a step whose request kills the worker that makes it, and a run whose advance waits for a lock.
 * Timeline: three workers die of them, one after the other; the lock is released. What this proves: the
 * fourth worker lives, because it puts both aside.
 */
describe('what kills each worker that begins it', () => {
  it('is put aside as failed after the third, a step as well as a run', async () => {
    const receiver = await Receiver.start();
    receiver.answer = () => ({ hang: true });
    const calling = await newAutomation({ steps: [{ id: 'poison', type: 'http', url: `"${receiver.url}"` }] });
    const resting = await newAutomation({ steps: [{ id: 'pause', type: 'wait', seconds: 0.1 }] });
    const taskQueue = queue();
    const api = await start(taskQueue, 'api');
    const [step, run] = await Promise.all(
      [calling, resting].map(async (code) => {
        const { body } = await startRun(user.token, code, {}, { baseUrl: api.url });
        return body.data.runPid as string;
      }),
    );
    for (let death = 1; death <= 3; death += 1) {
      const held = await holdRecord(tenant.id, 'platform.automation_run', run ?? '');
      const worker = await startDoomed(taskQueue, 'worker');
      await receiver.have(death);
      // Others lock this row, too: what counts is that an advance of it has begun.
      await until('it begins the run', async () => (await advancesBegun(run)) === death);
      // An advance that died with the step would count against the step's own run.
      await until('it only waits for the step', async () => (await advancesBegun(step)) === 0);
      await worker.stop('SIGKILL');
      await held.release();
    }
    await start(taskQueue, 'worker');

    const aside = {
      status: 'FAILED',
      error: { code: 'INTERNAL_ERROR', message: 'It was begun 3 times without an end' },
    };
    const failed = await Promise.all([step, run].map((pid) => runIs(user.token, pid ?? '', ['FAILED'])));
    expect(failed).toMatchObject([aside, aside]);
    expect(stepsOf(failed[0])).toEqual(['poison FAILED']);
    expect(receiver.received).toHaveLength(3);
  });
});

describe('a run that waits', () => {
  it('survives a restart of everything, and its timer comes due meanwhile', async () => {
    const receiver = await Receiver.start();
    const code = await newAutomation({
      steps: [
        { id: 'pause', type: 'wait', seconds: 3 },
        { id: 'ok', type: 'approval', role: 'ADMIN' },
        { id: 'call', type: 'http', url: `"${receiver.url}"` },
      ],
    });
    const taskQueue = queue();
    const first = await startDoomed(taskQueue, 'api,worker');
    const { body } = await startRun(user.token, code, {}, { baseUrl: first.url });
    const { runPid } = body.data;
    await runIs(user.token, runPid, ['WAITING']);
    await first.stop('SIGTERM');

    const second = await startDoomed(taskQueue, 'api,worker');
    await until('it asks', async () => (await getRun(user.token, runPid)).body.data.steps.at(-1).id === 'ok');
    await second.stop('SIGKILL');
    // Nobody is there to be told: the decision is a row.
    expect(await act(user.token, runPid, 'approve', { approved: true })).toMatchObject({ status: 200 });
    await start(taskQueue, 'worker');

    expect((await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED'])).status).toBe('SUCCEEDED');
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a run of 200 steps in a for-each', () => {
  it('does each once, within the limits of a history', async () => {
    const name = `M ${ulid()}`;
    const numbers = `[${Array.from({ length: 100 }, (_, n) => n).join(', ')}]`;
    const steps: AnyStep[] = [
      createLead('one', `"${name}"`),
      { id: 'two', type: 'query', modelCode: 'lead', limit: 1 },
    ];
    const code = await newAutomation({
      steps: [{ id: 'each', type: 'forEach', items: numbers, concurrency: 10, steps }],
    });
    const { body } = await startRun(user.token, code);
    const { runPid } = body.data;

    const run = await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']);

    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps).toHaveLength(201);
    expect(await leadsNamed(user.token, name)).toHaveLength(100);
    const { workflow } = await temporal();
    // One history after the other, each short, and each to be found by what it is of.
    const query = `WorkflowId = "${runWorkflowId(runPid)}" and commandCode = "automation:${code}"`;
    await until('several histories', async () => {
      let count = 0;
      for await (const { historyLength = 0 } of workflow.list({ query })) {
        count += 1;
        if (historyLength > 1_000) throw new Error(`a history has ${historyLength} events`);
      }
      return count > 1;
    });
    const history = JSON.stringify(await workflow.getHandle(runWorkflowId(runPid)).fetchHistory());
    expect(history).not.toContain(name);
    expect(history).not.toContain(Buffer.from(name).toString('base64').slice(0, 20));
  });
});

describe('GET /api/automations/runs/{runPid}/stream', () => {
  const states = (client: Watched): string[] => client.named('step').map(({ data }) => `${data.key} ${data.status}`);

  it('tells each state of the run and its steps once, in order, over two nodes, and ends with it', async () => {
    const code = await newAutomation({
      steps: [
        createLead('make', '"x"'),
        { id: 'ok', type: 'approval', role: 'ADMIN' },
        { id: 'pause', type: 'wait', seconds: 1 },
        createLead('again', '"y"'),
      ],
    });
    const taskQueue = queue();
    const [one, two] = await Promise.all([startDoomed(taskQueue, 'api'), start(taskQueue, 'api')]);
    // The shared node's worker does the work: the nodes of the streams only relay.
    const { body } = await startRun(user.token, code);
    const { runPid } = body.data;
    const path = `/api/automations/runs/${runPid}/stream`;
    const first = await watch(path, { token: user.token, baseUrl: one.url });
    await until('it asks', () => states(first).includes('ok WAITING'));
    await one.stop('SIGKILL');
    await act(user.token, runPid, 'approve', { approved: true });

    const second = await watch(path, { token: user.token, baseUrl: two.url, lastEventId: first.lastEventId });
    await second.over();

    expect([...states(first), ...states(second)]).toEqual([
      'make RUNNING',
      'make SUCCEEDED',
      'ok WAITING',
      'ok SUCCEEDED',
      'pause WAITING',
      'pause SUCCEEDED',
      'again RUNNING',
      'again SUCCEEDED',
    ]);
    expect(second.events.at(-1)).toMatchObject({ event: 'end', data: { runPid, status: 'SUCCEEDED' } });
    expect(second.named('run').at(-1)?.data).toMatchObject({
      runPid,
      automationCode: code,
      status: 'SUCCEEDED',
      progress: { finished: 4, total: 4 },
    });
    const late = await watch(path, { token: user.token });
    await late.over();
    expect(states(late)).toHaveLength(8);
  });

  /**
   * Setup: a client follows on another node than the one that began the run. Timeline: the worker, who writes
   * the stream, is killed while four steps are under way; another one takes over. What this proves: the next
   * producer goes on where the stream is, not where it begins.
   */
  it('goes on when the worker that writes it is killed: none is lost, none comes twice, in order, to the end', async () => {
    const receiver = await Receiver.start();
    const items = Array.from({ length: 12 }, (_, n) => n);
    const calls = (): number => receiver.received.length;
    // The second round of four is not answered before the worker is dead.
    receiver.answer = (_request, index) => ({ hang: index >= 4 && index < 8 });
    const url = `"${receiver.url}/" + string(item)`;
    const code = await newAutomation({
      steps: [
        createLead('before', '"x"'),
        {
          id: 'each',
          type: 'forEach',
          items: `[${items.join(', ')}]`,
          concurrency: 4,
          steps: [{ id: 'call', type: 'http', url, timeoutSeconds: 60 }],
        },
        { id: 'pause', type: 'wait', seconds: 0.5 },
        createLead('after', '"y"'),
      ],
    });
    const taskQueue = queue();
    const [one, two, worker] = await Promise.all([
      start(taskQueue, 'api'),
      start(taskQueue, 'api'),
      startDoomed(taskQueue, 'worker'),
    ]);
    const { body } = await startRun(user.token, code, {}, { baseUrl: one.url });
    const { runPid } = body.data;
    const client = await watch(`/api/automations/runs/${runPid}/stream`, { token: user.token, baseUrl: two.url });
    await until('four calls are under way', () => calls() >= 8);
    await until('the stream says so', () => states(client).filter((state) => state.endsWith('RUNNING')).length >= 10);

    await worker.stop('SIGKILL');
    await start(taskQueue, 'worker');

    // The connection is the one that it was: nobody has had to come back.
    await client.over();
    expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { runPid, status: 'SUCCEEDED' } });
    const ordinals = client.events.map(({ id }) => Number(id?.split('-')[1]));
    expect(ordinals).toEqual(ordinals.map((_, index) => index + 1));
    const keys = ['before', 'each', ...items.map((n) => `call[${n}]`), 'pause', 'after'];
    const first = (key: string) => (key === 'pause' ? 'WAITING' : 'RUNNING');
    expect(states(client).sort()).toEqual(keys.flatMap((key) => [`${key} ${first(key)}`, `${key} SUCCEEDED`]).sort());
    for (const key of keys) {
      const own = client.named('step').filter(({ data }) => data.key === key);
      expect(own.map(({ data }) => [data.key, data.status])).toEqual([first(key), 'SUCCEEDED'].map((to) => [key, to]));
    }
    const finished = client.named('run').map(({ data }) => data.progress.finished as number);
    expect(finished).toEqual(finished.toSorted((a, b) => a - b));
    expect(client.events.filter(({ event }) => event === 'gap' || event === 'revoked')).toEqual([]);
    // Four calls were out when it died, and were made again.
    expect(calls()).toBe(16);
  });

  it('says the end of a run whose events are forgotten', async () => {
    const code = await newAutomation({ steps: [{ id: 'ok', type: 'condition', assert: 'true' }] });
    const { body } = await startRun(user.token, code);
    const { runPid } = body.data;
    // The row says so before the stream does; when the workflow has ended, everything is told.
    expect(await (await temporal()).workflow.getHandle(runWorkflowId(runPid)).result()).toBe('SUCCEEDED');
    const { store } = await container();
    await store.pipeline([['del', `keelson:stream:run:${runPid}`]]);

    const client = await watch(`/api/automations/runs/${runPid}/stream`, { token: user.token });

    await client.over();
    expect(client.events.map(({ event }) => event)).toEqual(['run', 'end']);
  });
});
