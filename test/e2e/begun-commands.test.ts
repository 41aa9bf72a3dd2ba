import { Client, Connection } from '@temporalio/client';
import { ulid } from 'ulid';
import { execute, type Answered } from '../support/api.ts';
import { workflowOf } from '../support/command-workflows.ts';
import { executionRow, OwnTemporal, proxied, Proxy, temporalAddress, until } from '../support/faults.ts';
import { startNodeHere, startOwnNode } from '../support/own-node.ts';
import { startProgram, type Program } from '../support/program.ts';
import { Scene } from '../support/scene.ts';
import { commandGroupWorkflowId, commandWorkflowId } from '../../workflows/contracts.ts';

// Workers of the shared database have a Temporal, and would help.
beforeAll(async () => {
  await startOwnNode('begun', { KEELSON_ROLES: 'api' });
});

const pidOf = ({ headers }: Answered): string => headers.get('x-execution-pid') ?? '';
const queue = () => ({ TEMPORAL_TASK_QUEUE: `begun-${ulid()}` });

/**
 * Setup: a node with a worker and a Temporal server of its own. Timeline: Temporal is killed with -9;
 * commands come, one of which fails; Temporal comes back. What this proves: a process with a worker needs
 * Temporal to go on with what a fault has interrupted, and for nothing else.
 */
describe('Temporal away from a node with a worker', () => {
  it('commands go on as before, and their workflows are seen when it is back', async () => {
    const server = await OwnTemporal.start();
    const node = await startNodeHere({ TEMPORAL_ADDRESS: server.address, TEMPORAL_WAIT_MS: '', ...queue() });
    const scene = await Scene.at(node.url);
    await server.kill();

    const names = Array.from({ length: 70 }, (_, index) => `lead ${index}`);
    const answers = await Promise.all(names.map((name) => scene.create(name)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await scene.update('1')).toMatchObject({ status: 200, body: { data: { phone: '1', version: 2 } } });
    expect(await scene.list()).toMatchObject({ status: 200, body: { data: { total: 71 } } });

    await server.start();
    const connection = await Connection.connect({ address: server.address });
    const { workflow } = new Client({ connection });
    const pids = answers.map(pidOf);
    const idsOf = async () => {
      const rows = await Promise.all(pids.map((pid) => executionRow(pid)));
      return new Set(
        rows.map(({ pid, groupPid }) => (groupPid ? commandGroupWorkflowId(groupPid) : commandWorkflowId(pid))),
      );
    };
    for (const id of await idsOf()) {
      await until('the workflow completes', async () => {
        return (await workflow.getHandle(id).describe()).status.name === 'COMPLETED';
      });
    }
    await connection.close();
    expect(await scene.state()).toMatchObject({ events: 72 });
    await node.stop();
  });
});

/**
 * Setup: a node with a worker, which a test kills with -9 at one point of a command, and a second node. What
 * these prove: a command that was accepted ends once, whatever its process had come to; its key gives its
 * result.
 */
describe('a process killed with -9', () => {
  const doomed = async (settings: Record<string, string>): Promise<{ node: Program; scene: Scene }> => {
    const node = await startProgram(settings);
    return { node, scene: await Scene.at(node.url) };
  };

  it('between the insert of a command and its begin leaves it to another node', async () => {
    const settings = queue();
    const { node, scene } = await doomed({ ...settings, DATABASE_POOL_SIZE: '3' });
    const other = await startNodeHere(settings);
    const held = await scene.hold();
    const asked = ['1', '2'].map((phone) => scene.update(phone).catch(() => null));
    await held.waiting(2);
    asked.push(scene.create('accepted', 'k').catch(() => null));
    const { pid } = await until('it is accepted', async () => {
      const row = await scene.lastExecution();
      return row?.commandCode === 'crm:create_lead' && row.status === 'RECEIVED' ? row : null;
    });
    await node.stop('SIGKILL');
    await held.release();
    await Promise.all(asked);

    const repeated = await scene.create('accepted', 'k', other.url);

    expect(repeated.status).toBe(200);
    expect(pidOf(repeated)).toBe(pid);
    await until('the updates end', async () => (await scene.state()).leads[0]?.version === 3);
    expect(await scene.state()).toMatchObject({
      leads: [{ name: 'Ada', version: 3 }, { name: 'accepted' }],
      events: 4,
    });
    await other.stop();
  });

  it('in its transaction undoes it, and another node carries it out', async () => {
    const settings = queue();
    const { node, scene } = await doomed(settings);
    const other = await startNodeHere(settings);
    const held = await scene.hold();
    const asked = scene.update('1', 'k').catch(() => null);
    await held.waiting();
    await node.stop('SIGKILL');
    await held.release();
    await asked;

    expect(await scene.update('1', 'k', other.url)).toMatchObject({ status: 200, body: { data: { version: 2 } } });
    expect(await scene.state()).toMatchObject({ leads: [{ phone: '1', version: 2 }], events: 2 });
    await other.stop();
  });

  it.each([
    ['after its commit and before the start of its workflow', 'requests', false],
    ['after the start of its workflow and before that has asked for it', 'answers', true],
  ] as const)('%s leaves what it has done, once', async (_point, direction, hasWorkflow) => {
    const settings = queue();
    const proxy = await Proxy.before(temporalAddress());
    const { node, scene } = await doomed({ ...settings, TEMPORAL_ADDRESS: proxy.address });
    const other = await startNodeHere(settings);
    await workflowOf((await scene.lastExecution()).pid);
    proxy.stall(direction);
    const done = await scene.create('once', 'k');
    expect(done).toMatchObject({ status: 200, body: { data: { name: 'once' } } });
    if (hasWorkflow) await workflowOf(pidOf(done));
    await node.stop('SIGKILL');
    proxy.cut();

    const repeated = await scene.create('once', 'k', other.url);

    expect(repeated).toMatchObject({ status: 200, body: { code: 'IDEMPOTENT_REPLAY', data: done.body.data } });
    if (hasWorkflow) await (await workflowOf(pidOf(done))).result();
    expect(await scene.state()).toMatchObject({ leads: [{ name: 'Ada' }, { name: 'once' }], events: 2 });
    await other.stop();
  });

  it('before it can say that a command has ended lets the key give the result', async () => {
    const settings = queue();
    const { proxy, url } = await proxied(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
    const { node, scene } = await doomed({ ...settings, REDIS_URL: url });
    const other = await startNodeHere(settings);
    const held = await scene.hold();
    const asked = scene.update('1', 'k').catch(() => null);
    await held.waiting();
    proxy.stall();
    await held.release();
    await until('it has committed', async () => (await scene.lastExecution()).status === 'SUCCEEDED');
    await node.stop('SIGKILL');
    await asked;

    expect(await scene.update('1', 'k', other.url)).toMatchObject({
      status: 200,
      body: { code: 'IDEMPOTENT_REPLAY', data: { phone: '1', version: 2 } },
    });
    expect(
      await execute(
        scene.user.token,
        'crm:update_lead',
        {
          operationType: 'UPDATE',
          targetRecordId: scene.lead.pid,
          payload: { phone: '2' },
        },
        { baseUrl: other.url },
      ),
    ).toMatchObject({ status: 200, body: { data: { version: 3 } } });
    await other.stop();
  });
});
