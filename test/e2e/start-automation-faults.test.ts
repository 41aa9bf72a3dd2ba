import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { execute, list } from '../support/api.ts';
import { newAutomation, runIs } from '../support/automations.ts';
import { holdTable, Proxy, rowsOf, temporalAddress, until } from '../support/faults.ts';
import { newCode, save } from '../support/models.ts';
import { startNodeHere, startOwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { signedIn } from '../support/world.ts';

/*
 * Setup: a node that reaches Temporal through a proxy, and a command that starts an automation, which creates
 * a lead. Timeline: something keeps the node from going on behind the command's commit; the node is killed
 * with -9; another one starts. What this proves: the run whose pid was answered is there, and does its work
 * once.
 */
beforeAll(async () => {
  // Relays of other nodes would help.
  await startOwnNode('start-automation', { KEELSON_ROLES: 'api' });
});
const { tenant, user } = signedIn('ADMIN');

/** A command that starts an automation, and the name of the lead that this creates. */
async function newCommand() {
  const [code, name] = [`test:${newCode()}`, `L ${ulid()}`];
  const automationCode = await newAutomation({
    steps: [{ id: 'lead', type: 'command', commandCode: 'crm:create_lead', payload: { name: `"${name}"` } }],
  });
  const steps = [{ id: 'start', type: 'startAutomation', automationCode }];
  // Inline, so that the command commits without Temporal.
  const content = { name: 'Start', modelCode: 'lead', operations: ['CUSTOM'], execution: 'inline', steps };
  await save('dev', { resourceType: 'COMMAND', code, content });
  return { code, name, automationCode };
}

interface Stop {
  /** Whether the node has come as far as it can. */
  readonly reached: (runPid: string) => Promise<unknown>;
  readonly release: () => Promise<void>;
}

const BEFORE: [string, (proxy: Proxy) => Promise<Stop>][] = [
  [
    'the run is stored',
    async () => {
      const held = await holdTable('platform.automation_run');
      return { reached: () => held.waiting(), release: () => held.release() };
    },
  ],
  [
    'its workflow has started',
    async (proxy) => {
      proxy.stall('requests');
      const stored = (runPid: string) =>
        rowsOf(tenant.id, 'select 1 from platform.automation_run where pid = $1', [runPid]);
      return {
        reached: (runPid) => until('the run is stored', async () => (await stored(runPid)).length > 0),
        release: () => Promise.resolve(proxy.cut()),
      };
    },
  ],
];

describe('a node killed between the commit of a command and the start of its automation', () => {
  it.each(BEFORE)('before %s: the run starts once, at another node', async (_, stopNode) => {
    const { code, name, automationCode } = await newCommand();
    const proxy = await Proxy.before(temporalAddress());
    const node = await startProgram({ TEMPORAL_ADDRESS: proxy.address });
    const stop = await stopNode(proxy);

    const { body } = await execute(user.token, code, { payload: {} }, { baseUrl: node.url });
    const { runPid } = body.data.start;
    await stop.reached(runPid);
    await node.stop('SIGKILL');
    await stop.release();
    const next = await startNodeHere();

    expect((await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED'])).status).toBe('SUCCEEDED');
    // Nothing comes later: the relay and the sweep of runs look every second.
    await sleep(3_000);
    const runs = await rowsOf(tenant.id, 'select pid from platform.automation_run where automation_code = $1', [
      automationCode,
    ]);
    expect(runs).toEqual([{ pid: runPid }]);
    const filters = [{ fieldName: 'name', operator: 'eq', value: name }];
    expect((await list(user.token, 'leads', { filters })).body.data.total).toBe(1);
    // It would help the next node.
    await next.stop();
  });
});
