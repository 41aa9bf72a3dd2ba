import { execute } from '../support/api.ts';
import { dataOf, ends, keelson, person } from '../support/cli.ts';
import { Receiver } from '../support/receiver.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { deliveriesOnce, ended } from '../support/webhooks.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let admin: TestUser;
let receiver: Receiver;
let pid: string;

beforeEach(async () => {
  admin = await newUser(['ADMIN'], await newTenant());
  person.present = admin;
  receiver = await Receiver.start();
  pid = (await createSubscription(admin, { targetUrl: receiver.url, name: 'warehouse', maxRetries: 0 })).pid;
});

const aLead = (name = 'Ada') => execute(admin.token, 'crm:create_lead', { payload: { name } });

describe('keelson webhooks', () => {
  it('lists and shows subscriptions', async () => {
    await ends(0, ['webhooks', 'list'], {
      out: new RegExp(`^PID +NAME +EVENTS +TARGET +STATE\n${pid} +warehouse +crm:create_lead +http\\S+ +enabled\n$`),
    });
    await ends(0, ['webhooks', 'list', '--keyword', 'office'], { out: /^PID.*\n$/ });
    await ends(0, ['webhooks', 'show', pid], { out: /\nmaxRetries +0\n/ });
    await ends(1, ['webhooks', 'show', 'nothing'], { err: 'NOT_FOUND' });
  });

  it('tests one, and exits with 1 where its target does not take it', async () => {
    await ends(0, ['webhooks', 'test', pid], { out: /^delivered in \d+ ms, status 200\nok\n$/ });
    receiver.answer = () => ({ status: 500, body: 'no\u001b[2J' });
    await ends(1, ['webhooks', 'test', pid], { out: /^not delivered in \d+ ms, .*500.*\nno\\u001b\[2J\n$/ });
  });

  it('adds one, signed by a secret that stands in no argument', async () => {
    const args = ['webhooks', 'add', 'office', receiver.url, '--event', 'crm:*', '--model', 'lead'];
    await ends(0, [...args, '--secret'], {
      input: 'a-secret-of-the-test\n',
      out: /^office is enabled, with the pid \w+\n$/,
    });
    const { records } = await dataOf(['webhooks', 'list', '--keyword', 'office']);
    expect(records).toEqual([expect.objectContaining({ eventType: 'crm:*', modelCode: 'lead', hasSecret: true })]);
    await ends(1, ['webhooks', 'add', 'x', 'ftp://x', '--event', 'a', '--filter', '1 +'], { err: /\n {2}--filter: / });
  });

  it('rotates a secret, which it prints alone', async () => {
    const signed = await createSubscription(admin, { targetUrl: receiver.url, secret: 'first-secret-of-the-test' });
    await ends(0, ['webhooks', 'rotate', signed.pid, '--overlap', '1'], { out: /^whsec_\S+\n$/ });
    await ends(1, ['webhooks', 'rotate', signed.pid, '--overlap', '9000'], { err: '--overlap: ' });
  });

  it('disables and enables one', async () => {
    await ends(0, ['webhooks', 'disable', pid, '--reason', 'moves'], { out: /^warehouse is disabled: .*moves/ });
    await ends(0, ['webhooks', 'enable', pid], { out: 'warehouse is enabled\n' });
  });
});

describe('keelson deliveries', () => {
  it('lists them by their states, shows one with its attempts, and sends it again', async () => {
    receiver.answer = () => ({ status: 500, body: 'later' });
    await aLead();
    const failed = await ended(pid);
    await ends(0, ['deliveries', 'list', '--webhook', pid, '--status', 'FAILED', '--answer', '5xx', '--since', '1h'], {
      out: new RegExp(`^AT .*\n\\S+ +FAILED +crm:create_lead +warehouse +1 of 1 +500 +${failed.pid}\n$`),
    });
    await ends(0, ['deliveries', 'list', '--status', 'SUCCEEDED'], { out: /^AT.*\n$/ });
    await ends(0, ['deliveries', 'show', failed.pid], {
      out: /\nstatus +FAILED\n[^]*\n1 +\S+ +event +\d+ +500 [^]*"commandCode":"crm:create_lead"/,
    });

    receiver.answer = () => ({});
    await ends(0, ['deliveries', 'resend', failed.pid], { out: `${failed.pid} is sent again\n` });
    await deliveriesOnce(pid, 1, ({ status }) => status === 'SUCCEEDED');
    const none = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    await ends(1, ['deliveries', 'resend', none], { out: `${none} is not: NOT_FOUND\n` });
  });

  it('says that there are more than it shows', async () => {
    for (const name of ['Ada', 'Grace']) await aLead(name);
    await deliveriesOnce(pid, 2);
    const { out } = await keelson(['deliveries', 'list', '--limit', '1']);
    expect(out).toMatch(/\n1, and there are more: see --limit\n$/);
    expect((await dataOf(['deliveries', 'list', '--limit', '1'])).records).toHaveLength(1);
    await ends(1, ['deliveries', 'list', '--status', 'LOST'], { err: 'status: ' });
    await ends(1, ['deliveries', 'list', '--answer', '9xx'], { err: '--answer: ' });
  });
});
