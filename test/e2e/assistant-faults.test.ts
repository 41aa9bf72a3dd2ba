import { ulid } from 'ulid';
import { call } from '../support/api.ts';
import { saidBy, say } from '../support/chat.ts';
import { until } from '../support/faults.ts';
import { ModelServer, type Asked } from '../support/model-server.ts';
import { runSql } from '../support/platform.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { watch, type Watched } from '../support/streams.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);
const WHOLE = WORDS.join('');

let models: ModelServer;
let settings: Record<string, string>;
let tenant: TestTenant;
let user: TestUser;

/** Says the words one by one; asked to go on, goes on after those that were said. */
function speak({ body }: Asked) {
  const partial = body.messages.findLast(({ role }: { role: string }) => role === 'assistant')?.content ?? '';
  return { text: WORDS.slice(partial.split(' ').length - 1), delayMs: 60 };
}

const start = (roles: string) => startNodeHere({ ...settings, KEELSON_ROLES: roles });
/** Starts a node that the test stops or kills. */
const startDoomed = (roles: string) => startProgram({ ...settings, KEELSON_ROLES: roles });

beforeEach(async () => {
  models = await ModelServer.start();
  models.answer = speak;
  settings = {
    TEMPORAL_TASK_QUEUE: `faults-${ulid()}`,
    AI_BASE_URL: models.url,
    AI_MODEL: 'm',
    SHUTDOWN_GRACE_MS: '500',
  };
  tenant = await newTenant();
  user = await newUser(['SALES'], tenant);
});

const idOf = (watched: Watched): string => watched.events[0]?.data.conversationId as string;
const reattach = (watched: Watched, node: OwnNode): Promise<Watched> =>
  watch(`/api/ai/crm/chat/stream?conversationId=${idOf(watched)}`, {
    token: user.token,
    baseUrl: node.url,
    lastEventId: watched.lastEventId,
  });

describe('an answer that is being made', () => {
  /**
   * What this proves: readers are anchored to the shared store; neither their node nor the one that took the
   * question matters.
   */
  it('goes on on another node after Last-Event-ID when its own is killed: nothing is lost, nothing comes twice', async () => {
    const [first, second] = await Promise.all([startDoomed('api'), start('api'), start('worker')]);
    const before = await say(user.token, 'count', { baseUrl: first.url });
    await before.get(5, 'message.delta');

    await first.stop('SIGKILL');
    await before.over();
    const after = await reattach(before, second);

    await after.over();
    expect(saidBy(before) + saidBy(after)).toBe(WHOLE);
    expect(after.events.at(-1)).toMatchObject({ event: 'message.completed', data: { text: WHOLE } });
    const ids = [...before.events, ...after.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(models.asked).toHaveLength(1);
  });

  /** What this proves: a worker that takes over goes on in the middle of the text. */
  it('goes on in another worker when its own is killed', async () => {
    const [node, doomed] = await Promise.all([start('api'), startDoomed('worker')]);
    const watched = await say(user.token, 'count', { baseUrl: node.url });
    await watched.get(5, 'message.delta');

    await doomed.stop('SIGKILL');
    await start('worker');

    await watched.over();
    expect(saidBy(watched)).toBe(WHOLE);
    expect(watched.events.at(-1)).toMatchObject({ event: 'message.completed', data: { text: WHOLE } });
    expect(models.asked).toHaveLength(2);
    expect(models.asked[1]?.body.messages.at(-2).content.length).toBeGreaterThan(20);
    const { body } = await call(`/api/ai/conversations/${idOf(watched)}`, { token: user.token, baseUrl: node.url });
    expect(body.data.messages[1]).toMatchObject({ status: 'COMPLETED', text: WHOLE });
  });

  it('moves to another worker at once when its own is asked to stop', async () => {
    const [node, leaving] = await Promise.all([start('api'), startDoomed('worker')]);
    const watched = await say(user.token, 'count', { baseUrl: node.url });
    await watched.get(5, 'message.delta');

    const next = start('worker');
    await leaving.stop('SIGTERM');
    await next;

    await watched.over();
    expect(saidBy(watched)).toBe(WHOLE);
  });

  it('waits for a worker; while there is none, its reader waits, too', async () => {
    const node = await start('api');
    const watched = await say(user.token, 'count', { baseUrl: node.url });
    await watched.get(1, 'conversation');
    expect(models.asked).toHaveLength(0);

    await start('worker');

    await watched.over();
    expect(saidBy(watched)).toBe(WHOLE);
  });

  it('is not made any more when its tenant is suspended by then: no model is asked', async () => {
    const node = await start('api');
    const watched = await say(user.token, 'count', { baseUrl: node.url });
    await watched.get(1, 'conversation');
    const messageOf = async () => {
      const which = "conversation_pid = $1 and role = 'assistant'";
      const sql = `select status, error from platform.ai_message where ${which}`;
      const [row] = await runSql<{ status: string; error: { code: string } | null }>(sql, [idOf(watched)]);
      return row;
    };
    expect(await messageOf()).toMatchObject({ error: null });

    await runSql("update platform.tenant set status = 'suspended' where id = $1", [tenant.id]);
    await start('worker');

    await until('it has ended', async () => (await messageOf())?.status === 'FAILED');
    expect(await messageOf()).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(models.asked).toHaveLength(0);
  });
});
