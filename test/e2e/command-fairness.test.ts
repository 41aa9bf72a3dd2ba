import { setTimeout as sleep } from 'node:timers/promises';
import { call, execute, type Answered } from '../support/api.ts';
import { startNodeHere, startOwnNode, type OwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: two nodes with groups of 4 commands at most, in which 40 may wait. In the flooding tenant a command
 * takes 200 ms. Timeline: the tenant sends commands over 60 connections to each node; another one sends
 * single commands meanwhile. Then commands of 2.5 s each come before others of the same tenant.
 */
const SETTINGS = { COMMAND_GROUP_MAX: '4', COMMAND_QUEUE_MAX: '40' };
const CONNECTIONS = 60;
/**
 * Of the flood, begun on a node while another tenant's command waits there: of 40, what is under way and a
 * turn.
 */
const MAX_AHEAD = 16;
const PAUSE_AFTER_503_MS = 300;
const NEIGHBOURS_COMMANDS = 4;

let nodes: OwnNode[];
let flooding: { tenant: TestTenant; user: TestUser };
let neighbour: { tenant: TestTenant; user: TestUser };

async function inhabited() {
  const tenant = await newTenant();
  return { tenant, user: await newUser(['ADMIN'], tenant) };
}

beforeAll(async () => {
  nodes = [await startOwnNode('fairness', SETTINGS), await startNodeHere(SETTINGS)];
  flooding = await inhabited();
  neighbour = await inhabited();
  await runSql(`create function dev.take_time() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(case new.name when 'slow' then 2.5 else 0.2 end);
      return new;
    end $$`);
  await runSql(`create trigger take_time before insert on dev.mt_lead for each row
    when (new.tenant_id = ${Number(flooding.tenant.id)} or new.name = 'slow') execute function dev.take_time()`);
});

const create = ({ user }: { user: TestUser }, name: string, baseUrl: string): Promise<Answered> =>
  execute(user.token, 'crm:create_lead', { payload: { name } }, { baseUrl });

describe('POST /api/meta/commands/execute/{commandCode} while one tenant floods two nodes', () => {
  let refused: Answered[];
  let done: Answered[];
  let others: Answered[];

  beforeAll(async () => {
    const urls = nodes.map(({ url }) => url);
    const flood = { isOver: false };
    const answers: (Answered & { url: string })[] = [];
    const clients = urls.flatMap((url) =>
      Array.from({ length: CONNECTIONS }, async () => {
        while (!flood.isOver) {
          const answer = await create(flooding, 'flood', url);
          answers.push({ ...answer, url });
          if (answer.status === 503) await sleep(PAUSE_AFTER_503_MS);
        }
      }),
    );
    // The queue of a node has formed when the first ones are refused, and moves when one is done.
    const hasAnswered = (wanted: number, by: string) =>
      answers.some(({ status, url }) => status === wanted && url === by);
    while (!urls.every((url) => hasAnswered(503, url) && hasAnswered(200, url))) await sleep(20);
    others = [];
    for (let number = 0; number < NEIGHBOURS_COMMANDS; number += 1) {
      others.push(await create(neighbour, `neighbour ${number}`, urls[number % 2] ?? ''));
    }
    flood.isOver = true;
    await Promise.all(clients);
    refused = answers.filter(({ status }) => status === 503);
    done = answers.filter(({ status }) => status === 200);
  });

  it("executes another tenant's commands ahead of those of the flood that wait", async () => {
    expect(others.map(({ status, body }) => [status, body.code])).toEqual(others.map(() => [200, '0']));
    // `finished_at` is when the transaction began.
    const [flood] = await runSql<{ before: number; ahead: number; after: number }>(
      `select count(*) filter (where f.finished_at < n.created_at)::int as before,
         max(count(*) filter (where f.finished_at between n.created_at and n.finished_at)) over ()::int as ahead,
         count(*) filter (where f.finished_at > n.finished_at)::int as after
       from platform.command_execution n
         join platform.command_execution f on f.node_pid = n.node_pid and f.status = 'SUCCEEDED'
       where n.tenant_id = $1 and f.tenant_id = $2 group by n.pid, n.created_at order by n.created_at`,
      [neighbour.tenant.id, flooding.tenant.id],
    );
    expect(flood?.before).toBeGreaterThan(0);
    expect(flood?.after).toBeGreaterThan(0);
    expect(flood?.ahead).toBeLessThanOrEqual(MAX_AHEAD);
  });

  it('answers 503 with Retry-After to what the queue does not hold, and does nothing of it', async () => {
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ code: 'SERVICE_UNAVAILABLE', data: { reason: 'BUSY' } });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const pid = refused[0]?.headers.get('x-execution-pid') ?? '';
    const execution = await call(`/api/meta/commands/executions/${pid}`, { token: flooding.user.token });
    expect(execution.body.data).toMatchObject({ status: 'CANCELLED', result: null });
    const [{ leads } = { leads: 0 }] = await runSql<{ leads: number }>(
      `select count(*)::int as leads from dev.mt_lead where tenant_id = $1`,
      [flooding.tenant.id],
    );
    expect(leads).toBe(done.length);
  });
});

describe('POST /api/meta/commands/execute/{commandCode} beside commands that take long', () => {
  /** Twice as many as the connections that commands have. */
  const SLOW = 12;

  it('answers the others as if they were alone, also of the same tenant', async () => {
    const url = nodes[0]?.url ?? '';
    const slow = Array.from({ length: SLOW }, () => create(neighbour, 'slow', url));
    const begun = () =>
      runSql(`select 1 from platform.command_execution where tenant_id = $1 and payload->>'name' = 'slow'`, [
        neighbour.tenant.id,
      ]);
    while ((await begun()).length < SLOW) await sleep(20);
    const others = await Promise.all(Array.from({ length: SLOW }, () => create(neighbour, 'quick', url)));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    const [{ left } = { left: 0 }] = await runSql<{ left: number }>(
      `select count(*)::int as left from platform.command_execution
       where tenant_id = $1 and payload->>'name' = 'slow' and status <> 'SUCCEEDED'`,
      [neighbour.tenant.id],
    );
    expect(left).toBeGreaterThan(SLOW / 2);
    for (const { status } of await Promise.all(slow)) expect([200, 202]).toContain(status);
  });
});
