import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { conversationRetention } from '../../src/features/assistant/conversations/conversations.service.ts';
import { runRetention } from '../../src/features/automations/runs/run-retention.ts';
import { call } from '../support/api.ts';
import { getRun, newAutomation, runIs, runToEnd, startRun } from '../support/automations.ts';
import { replyTo } from '../support/chat.ts';
import { runSql } from '../support/platform.ts';
import { container, signedIn } from '../support/world.ts';

let quick: string;
let asking: string;

const { user } = signedIn('ADMIN');
beforeAll(async () => {
  quick = await newAutomation({
    steps: [
      { id: 'one', type: 'condition', assert: 'true' },
      { id: 'two', type: 'condition', assert: 'true' },
    ],
  });
  asking = await newAutomation({ steps: [{ id: 'ok', type: 'approval', role: 'ADMIN' }] });
});

/** Makes it look as if all that happened to a run had happened so many days earlier. */
const age = (runPid: string, days: number) =>
  runSql(
    `update platform.automation_run set created_at = created_at - $1 * interval '1 day',
       started_at = started_at - $1 * interval '1 day', finished_at = finished_at - $1 * interval '1 day' where pid = $2`,
    [days, runPid],
  );
const endedRun = async (days: number): Promise<string> => {
  const { runPid } = await runToEnd(user.token, quick);
  await age(runPid, days);
  return runPid;
};
const waitingRun = async (days: number): Promise<string> => {
  const { runPid } = (await startRun(user.token, asking)).body.data;
  await runIs(user.token, runPid, ['WAITING']);
  await age(runPid, days);
  return runPid;
};
const statusOf = async (runPid: string): Promise<number> => (await getRun(user.token, runPid)).status;
const stepsLeft = async (runPid: string): Promise<number> =>
  (await runSql('select 1 from platform.automation_step where run_pid = $1', [runPid])).length;
const runs = async (...more: [number, { runs: number; steps: number }?]) => {
  const { orm, streamWriter } = await container();
  return runRetention(orm, streamWriter, ...more);
};

describe('a run of an automation', () => {
  it('is forgotten with its steps and its stream so many days after it has ended', async () => {
    const [old, young] = [await endedRun(91), await endedRun(89)];

    await (await runs(90)).purgeBatch();

    expect([await statusOf(old), await stepsLeft(old)]).toEqual([404, 0]);
    expect([await statusOf(young), await stepsLeft(young)]).toEqual([200, 2]);
    const { store } = await container();
    const keys = [old, young].map((pid) => ['exists', `keelson:stream:run:${pid}`] as [string, string]);
    expect(await store.pipeline(keys)).toEqual([0, 1]);
  });

  it('is kept as long as it goes, and as long as one goes that it has caused', async () => {
    const waiting = await waitingRun(500);
    const [parent, parentOfEnded] = [await endedRun(500), await endedRun(500)];
    const [child, ended] = [await waitingRun(0), await endedRun(0)];
    const cause = 'update platform.automation_run set parent_run_pid = $1 where pid = $2';
    await runSql(cause, [parent, child]);
    await runSql(cause, [parentOfEnded, ended]);

    await (await runs(90)).purgeBatch();

    expect(await Promise.all([waiting, parent, child, ended, parentOfEnded].map(statusOf))).toEqual([
      200, 200, 200, 200, 404,
    ]);
  });

  it('goes in batches, each of a few runs and not too many steps, the oldest first', async () => {
    const [third, second, first] = [await endedRun(203), await endedRun(204), await endedRun(205)];
    const fourth = await endedRun(202);
    const left = async () => (await Promise.all([first, second, third, fourth].map(statusOf))).join(' ');
    // A run has two steps.
    const bySteps = await runs(201, { runs: 10, steps: 3 });
    expect([await bySteps.purgeBatch(), await left()]).toEqual([true, '404 404 200 200']);
    const byRuns = await runs(201, { runs: 1, steps: 1_000 });
    expect([await byRuns.purgeBatch(), await left()]).toEqual([true, '404 404 404 200']);
    expect([await bySteps.purgeBatch(), await left()]).toEqual([true, '404 404 404 404']);
    expect(await bySteps.purgeBatch()).toBe(false);
  });

  it('is kept for ever where that is wanted', async () => {
    const old = await endedRun(10_000);
    expect(await (await runs(0)).purgeBatch()).toBe(false);
    expect(await statusOf(old)).toBe(200);
  });

  it('is found by an index', async () => {
    const { orm } = await container();
    const plan = await orm.em.fork().transactional(async (em) => {
      await sqlRunnerOf(em).query('set local enable_seqscan = off');
      return sqlRunnerOf(em).query(
        `explain select 1 from platform.automation_run r where r.status in ('SUCCEEDED', 'FAILED', 'CANCELLED')
           and r.finished_at < now() - 90 * interval '1 day' order by r.finished_at limit 10`,
      );
    });
    expect(JSON.stringify(plan)).toContain('automation_run_ended');
  });
});

describe('a conversation', () => {
  const say = async (): Promise<string> => (await replyTo(user.token, 'which models exist')).conversationId;
  const silentFor = (conversationId: string, days: number) =>
    runSql(`update platform.ai_conversation set updated_at = now() - $1 * interval '1 day' where pid = $2`, [
      days,
      conversationId,
    ]);
  const known = async (conversationId: string): Promise<number> =>
    (await call(`/api/ai/conversations/${conversationId}`, { token: user.token })).status;
  const conversations = async (...more: [number, { conversations: number; messages: number }?]) => {
    const { orm, streamWriter } = await container();
    return conversationRetention(orm, streamWriter, ...more);
  };

  it('is forgotten with all that was said when nobody has said anything for so many days', async () => {
    const [old, young] = [await say(), await say()];
    await silentFor(old, 366);
    await silentFor(young, 364);

    await (await conversations(365)).purgeBatch();

    expect([await known(old), await known(young)]).toEqual([404, 200]);
    expect(await runSql('select 1 from platform.ai_message where conversation_pid = $1', [old])).toEqual([]);
    const { store } = await container();
    const keys = [old, young].map((pid) => ['exists', `keelson:stream:conversation:${pid}`] as [string, string]);
    expect(await store.pipeline(keys)).toEqual([0, 1]);
  });

  it('is kept while an answer is made in it', async () => {
    const busy = await say();
    await silentFor(busy, 500);
    const change = `update platform.ai_message set status = 'RUNNING', expires_at = now() + $1 * interval '1 minute'
      where conversation_pid = $2 and role = 'assistant'`;
    await runSql(change, [5, busy]);
    await (await conversations(365)).purgeBatch();
    expect(await known(busy)).toBe(200);
    await runSql(change, [-5, busy]);
    await (await conversations(365)).purgeBatch();
    expect(await known(busy)).toBe(404);
  });

  it('goes in batches, the oldest first', async () => {
    const [second, first] = [await say(), await say()];
    await silentFor(second, 601);
    await silentFor(first, 602);
    // Each has two messages.
    const some = await conversations(600, { conversations: 10, messages: 1 });
    expect([await some.purgeBatch(), await known(first), await known(second)]).toEqual([true, 404, 200]);
    expect([await some.purgeBatch(), await known(second), await some.purgeBatch()]).toEqual([true, 404, false]);
  });

  it('is kept for ever where that is wanted', async () => {
    const old = await say();
    await silentFor(old, 10_000);
    expect(await (await conversations(0)).purgeBatch()).toBe(false);
    expect(await known(old)).toBe(200);
  });
});
