import { ulid } from 'ulid';
import { runWorkflowId } from '../../workflows/contracts.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';
import { act, createLead, leadsNamed, newAutomation, runIs, startRun, stepsOf } from '../support/automations.ts';
import { temporal, until } from '../support/faults.ts';
import { newRole } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { startNodeHere } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { watch } from '../support/streams.ts';
import { newTenant, type TestTenant, signedIn } from '../support/world.ts';

const { user } = signedIn('ADMIN');

const create = (id: string, name: string): AnyStep =>
  createLead(id, `"${name}"`, {
    compensation: {
      commandCode: 'crm:update_lead',
      operationType: 'UPDATE',
      target: `steps.${id}.pid`,
      payload: { name: `"${name} undone"` },
    },
  });
const approval: AnyStep = { id: 'ok', type: 'approval', role: 'ADMIN' };
const named = async (name: string): Promise<number> => (await leadsNamed(user.token, name)).length;
const handleOf = async (runPid: string) => (await temporal()).workflow.getHandle(runWorkflowId(runPid));
/** A run that has made a lead and waits for an approval. */
async function waiting(name: string, more: AnyStep[] = [], options: { baseUrl?: string } = {}): Promise<string> {
  const code = await newAutomation({ steps: [create('make', name), approval, ...more] });
  const { runPid } = (await startRun(user.token, code, {}, options)).body.data;
  await runIs(user.token, runPid, ['WAITING']);
  return runPid;
}
const terminated = { code: 'CONFLICT', message: 'An operator terminated the run in Temporal' };

describe('a run whose workflow an operator terminates', () => {
  it('fails within seconds as it stands, says so and why, and its stream ends', async () => {
    const name = `T ${ulid()}`;
    const runPid = await waiting(name);
    const client = await watch(`/api/automations/runs/${runPid}/stream`, { token: user.token });

    await (await handleOf(runPid)).terminate('it is of no use');

    const run = await runIs(user.token, runPid, ['FAILED']);
    expect(run.error).toEqual({ ...terminated, data: { reason: 'TERMINATED', comment: 'it is of no use' } });
    expect(stepsOf(run)).toEqual(['make SUCCEEDED', 'ok CANCELLED']);
    expect(run.finishedAt).not.toBeNull();
    await client.over();
    expect(client.named('step').at(-1)?.data).toMatchObject({ key: 'ok', status: 'CANCELLED' });
    expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { runPid, status: 'FAILED' } });
    // Nobody has asked for anything to be undone.
    expect([await named(name), await named(`${name} undone`)]).toEqual([1, 0]);
    expect(await act(user.token, runPid, 'approve', { approved: true })).toMatchObject({ status: 409 });
  });

  it('can be retried, and goes on from there', async () => {
    const name = `R ${ulid()}`;
    const runPid = await waiting(name);
    await (await handleOf(runPid)).terminate();
    const run = await runIs(user.token, runPid, ['FAILED']);
    expect(run.error).toMatchObject({ ...terminated, data: { reason: 'TERMINATED' } });

    expect(await act(user.token, runPid, 'retry')).toMatchObject({ status: 200 });
    await runIs(user.token, runPid, ['WAITING']);
    await act(user.token, runPid, 'approve', { approved: true });

    const done = await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']);
    expect(stepsOf(done)).toEqual(['make SUCCEEDED', 'ok SUCCEEDED']);
    expect(await named(name)).toBe(1);
    // What has been looked at once is not looked at again.
    expect(await (await handleOf(runPid)).result()).toBe('SUCCEEDED');
  });

  it('takes no notice of what a step that was under way comes back with', async () => {
    const receiver = await Receiver.start();
    receiver.answer = () => ({ hang: true });
    const code = await newAutomation({
      steps: [{ id: 'call', type: 'http', url: `"${receiver.url}"`, timeoutSeconds: 120 }, create('after', 'x')],
    });
    const { runPid } = (await startRun(user.token, code)).body.data;
    await receiver.have(1);
    await (await handleOf(runPid)).terminate('stop');
    await runIs(user.token, runPid, ['FAILED']);

    receiver.stop();
    await until('the attempt is over', () => receiver.open === 0);

    const run = await runIs(user.token, runPid, ['FAILED']);
    expect(stepsOf(run)).toEqual(['call CANCELLED']);
  });

  /**
   * Setup: no worker is there to notice. What this proves: an act gives the run another workflow, and that
   * one counts.
   */
  it('goes on where somebody has acted before anybody has noticed', async () => {
    const TEMPORAL_TASK_QUEUE = `lost-${ulid()}`;
    const api = await startNodeHere({ TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'api' });
    const worker = await startProgram({ TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'worker' });
    const runPid = await waiting(`A ${ulid()}`, [create('after', 'x')], { baseUrl: api.url });
    await worker.stop('SIGKILL');
    await (await handleOf(runPid)).terminate();
    await act(user.token, runPid, 'approve', { approved: true }, { baseUrl: api.url });
    await until(
      'it has another workflow',
      async () => (await (await handleOf(runPid)).describe()).status.name === 'RUNNING',
    );

    await startNodeHere({ TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'worker' });

    const run = await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']);
    expect(stepsOf(run)).toEqual(['make SUCCEEDED', 'ok SUCCEEDED', 'after SUCCEEDED']);
  });
});

describe('a run whose workflow an operator cancels', () => {
  it('is wound up, as if somebody had cancelled the run', async () => {
    const name = `C ${ulid()}`;
    const runPid = await waiting(name);

    await (await handleOf(runPid)).cancel();

    const run = await runIs(user.token, runPid, ['CANCELLED']);
    expect(run.error).toMatchObject({ code: 'CONFLICT', message: 'An operator cancelled the run in Temporal' });
    expect(stepsOf(run)).toEqual(['make SUCCEEDED', 'ok CANCELLED', 'undo:make SUCCEEDED']);
    expect([await named(name), await named(`${name} undone`)]).toEqual([0, 1]);
  });
});

describe('a workflow that was terminated while no worker was there', () => {
  it('is noticed by the next one', async () => {
    const TEMPORAL_TASK_QUEUE = `lost-${ulid()}`;
    const first = await startProgram({ TEMPORAL_TASK_QUEUE });
    const runPid = await waiting(`W ${ulid()}`, [], { baseUrl: first.url });
    await first.stop('SIGKILL');
    await (await handleOf(runPid)).terminate('overnight');

    await startNodeHere({ TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'worker' });

    const run = await runIs(user.token, runPid, ['FAILED']);
    expect(run.error.data.comment).toBe('overnight');
  });
});

describe('a schedule', () => {
  it('begins no runs for a suspended tenant, and begins them again when it is active', async () => {
    const [suspended, active] = [await newTenant(), await newTenant()];
    const role = await newRole(['record:read:lead']);
    const status = (to: string) => runSql('update platform.tenant set status = $1 where id = $2', [to, suspended.id]);
    await status('suspended');
    const code = await newAutomation({
      trigger: { type: 'schedule', everySeconds: 1, tenants: [suspended.id, active.id] },
      runAs: role,
      steps: [{ id: 'ok', type: 'condition', assert: 'true' }],
    });
    const runsOf = async ({ id }: TestTenant): Promise<number> =>
      (await runSql('select 1 from platform.automation_run where automation_code = $1 and tenant_id = $2', [code, id]))
        .length;

    await until('the active one has some', async () => (await runsOf(active)) >= 2);
    expect(await runsOf(suspended)).toBe(0);
    await status('active');
    await until('it has some, too', async () => (await runsOf(suspended)) >= 1);

    await newAutomation({ enabled: false, steps: [{ id: 'ok', type: 'condition', assert: 'true' }] }, code);
  });
});
