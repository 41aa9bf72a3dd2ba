import { execute } from '../api.ts';
import { say } from '../chat.ts';
import { until } from '../faults.ts';
import type { Receiver } from '../receiver.ts';
import { ask, dataOf, note, withoutWorld, type Told } from './told.ts';
import { SECRETS, type World } from './worlds.ts';
import type { Way } from './read-ways.ts';
import { followed } from './write-ways.ts';

/** A change of a thing by who sees it all, and whose events and runs the blind user may hear of. */
const change = (world: World, payload: object = { size: 9 }) =>
  execute(world.sighted.token, world.codes.write, { operationType: 'UPDATE', targetRecordId: world.pid('a'), payload });

/** Ways by which events tell. `receiver` takes the deliveries of both worlds. */
export function eventWays(receiver: Receiver): readonly Way[] {
  const subscription = ({ tenant, codes }: World, rest: object = {}) => ({
    name: 'S',
    targetUrl: receiver.urlOf(tenant.id),
    eventType: codes.write,
    modelCode: codes.thing,
    ...rest,
  });
  const subscribe = (world: World, rest: object) => ask(world, '/api/webhooks', { body: subscription(world, rest) });
  return [
    // First: a run that the sighted user's change starts is there by a filter of its author's.
    [
      'the runs that a condition on a hidden field would start',
      async (world) => {
        await ask(world, `/api/meta/commands/execute/${world.codes.write}`, {
          body: { operationType: 'UPDATE', targetRecordId: world.pid('a'), payload: { size: 4 } },
        });
        // A run that is waited for shows that the events have been dealt with.
        await run(world, 'own');
        const path = `/api/automations/runs?automationCode=${world.codes.thing}_condition`;
        return [await ask(world, path), await ask(world, '/api/automations/approvals')];
      },
    ],
    [
      'subscriptions whose filters name hidden fields',
      (world) =>
        Promise.all([
          subscribe(world, { filterExpression: `result.level == ${SECRETS.level}` }),
          subscribe(world, { filterExpression: `payload.secret == '${SECRETS.secret}'`, eventType: 'record.updated' }),
        ]),
    ],
    [
      'deliveries, their log, a resend and a test',
      (world) => delivered(world, receiver, subscription(world, { eventType: 'record.*' })),
    ],
    [
      'a filter of a subscription to everything',
      async (world) => {
        const rest = { eventType: '*', modelCode: null, filterExpression: 'result.level > 6 || payload.level > 6' };
        return delivered(world, receiver, subscription(world, rest));
      },
    ],
    [
      'a dry run that tells who would hear',
      (world) =>
        ask(world, `/api/meta/commands/execute/${world.codes.write}`, {
          body: { operationType: 'UPDATE', targetRecordId: world.pid('a'), payload: { size: 3 }, dryRun: true },
        }),
    ],
    ...['own', 'sees', 'sorts', 'awaits'].map((name): Way => [
      `a run of the automation ${name}`,
      (world) => run(world, name),
    ]),
    ...['How many are there with level 7', 'show thing a', 'secret zebra'].map((question): Way => [
      `an assistant that is asked "${question}"`,
      (world) => asked(world, question.replace('thing', world.codes.thing)),
    ]),
  ];
}

async function delivered(world: World, receiver: Receiver, body: object): Promise<readonly Told[]> {
  const made = await ask(world, '/api/webhooks', { body });
  if (made.status !== 200) return [made];
  const { pid } = dataOf(made);
  const before = receiver.at(world.tenant.id).length;
  await change(world);
  const all = await subscribeToAll(world, receiver);
  await until('the events are dealt with', () => receiver.at(`${world.tenant.id}-all`).length > all.before);
  const log = await until('the deliveries end', async () => {
    const told = await ask(world, `/api/webhooks/${pid}/deliveries`);
    return dataOf(told).records.every(({ finishedAt }: { finishedAt: unknown }) => finishedAt !== null) && told;
  });
  const bodies = receiver
    .at(world.tenant.id)
    .slice(before)
    .map(({ body: text }) => text);
  const [delivery] = dataOf(log).records;
  const more = delivery
    ? [
        await ask(world, `/api/webhooks/deliveries/${delivery.pid}`),
        statusOf(await ask(world, `/api/webhooks/deliveries/${delivery.pid}/resend`, { body: {} })),
      ]
    : [];
  const pids = dataOf(log).records.map(({ pid: one }: { pid: string }) => one);
  if (pids.length > 0) more.push(statusOf(await ask(world, '/api/webhooks/deliveries/resend', { body: { pids } })));
  more.push(statusOf(await ask(world, `/api/webhooks/deliveries?subscriptionPid=${pid}`)));
  const raw = bodies.toSorted().join('\n');
  const since = new Date(Date.now() - 60_000).toISOString();
  const recovery = await ask(world, `/api/webhooks/${pid}/recover`, { body: { since } });
  const filterExpression = `result.level == ${SECRETS.level}`;
  more.push(
    await ask(world, `/api/webhooks/${pid}/recoverable?since=${since}`),
    await ask(world, '/api/webhooks/match', { body: { eventType: world.codes.write, filterExpression } }),
    await ask(world, `/api/webhooks/${pid}`),
    await ask(world, '/api/webhooks'),
    await ask(world, `/api/webhooks/${pid}`, { method: 'PATCH', body: { filterExpression } }),
    await until('the recovery ends', async () => {
      const told = await ask(world, `/api/webhooks/${pid}/recoveries`);
      return dataOf(told).every(({ status }: { status: string }) => status !== 'RUNNING') && told;
    }),
    await ask(world, `/api/webhooks/${pid}/recoveries/${dataOf(recovery).pid}`),
  );
  const test = await ask(world, `/api/webhooks/${pid}/test`, { body: { sample: false } });
  const told = [made, log, ...more, test, { status: 0, raw, text: withoutWorld(world, raw) }];
  await ask(world, `/api/webhooks/${pid}`, { method: 'DELETE' });
  return told;
}

/** A subscription without a filter, whose delivery shows that the events before it have been matched. */
async function subscribeToAll(world: World, receiver: Receiver): Promise<{ before: number }> {
  const name = `${world.tenant.id}-all`;
  const body = { name: 'all', targetUrl: receiver.urlOf(name), eventType: world.codes.upsert };
  const made = await ask(world, '/api/webhooks', { body });
  const before = receiver.at(name).length;
  await execute(world.sighted.token, world.codes.upsert, {
    operationType: 'UPSERT',
    payload: { no: `${made.status}`, name: 'u' },
  });
  return { before };
}

/** Of what may have begun when it is answered, or not. */
function statusOf(told: Told): Told {
  return { ...told, text: String(told.status) };
}

async function run(world: World, name: string): Promise<readonly Told[]> {
  const started = await ask(world, `/api/automations/${world.codes.thing}_${name}/runs`, {
    body: { input: { least: 6 } },
  });
  if (started.status !== 202) return [started];
  const path = `/api/automations/runs/${dataOf(started).runPid}`;
  if (name === 'awaits') await change(world);
  const ended = await until('the run ends', async () => {
    const told = await ask(world, path);
    return ['SUCCEEDED', 'FAILED'].includes(dataOf(told).status) ? told : null;
  });
  return [
    ended,
    await ask(world, `${path}/steps`),
    await followed(world, `${path}/stream`),
    ...(await Promise.all(
      ['cancel', 'approve'].map((what) => ask(world, `${path}/${what}`, { body: { approved: true } })),
    )),
  ];
}

async function asked(world: World, question: string): Promise<readonly Told[]> {
  await note('POST', `/api/ai/${world.codes.thing}/chat/stream`);
  const stream = await say(world.blind.token, question, { assistant: world.codes.thing });
  await stream.over();
  const told = stream.events
    .filter(({ event }) => event !== 'message.delta')
    .map(({ event, data }) => ({ event, data }));
  const raw = JSON.stringify(told);
  const { conversationId } = stream.named('conversation')[0]?.data ?? {};
  const path = `/api/ai/conversations/${conversationId}`;
  const conversation = [await ask(world, path), await ask(world, '/api/ai/conversations')];
  await ask(world, path, { method: 'DELETE' });
  return [{ status: stream.status, raw, text: withoutWorld(world, raw) }, ...conversation];
}
