import { execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { Receiver } from '../support/receiver.ts';
import { attemptsOf, deliveriesOf, subscribe } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;
let receiver: Receiver;

beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
  receiver = await Receiver.start();
});

const createLead = (name: string, rest: Record<string, unknown> = {}) =>
  execute(user.token, 'crm:create_lead', { payload: { name, ...rest } });

/** The first delivery of a subscription, once it has ended. */
async function ended(subscriptionPid: string) {
  return until('the delivery ends', async () => {
    const [delivery] = await deliveriesOf(subscriptionPid);
    return delivery?.finishedAt && delivery;
  });
}

describe('an event that a subscription matches', () => {
  it('is POSTed to the target URL with the delivery payload as its body', async () => {
    const pid = await subscribe(tenant, user, receiver.url);

    const { body } = await createLead('Ada');

    const [request] = await receiver.have(1);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      ...{ commandCode: 'crm:create_lead', modelCode: 'lead', payload: { name: 'Ada' } },
      result: body.data,
    });
    expect(request?.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'x-webhook-event': 'crm:create_lead',
      'x-webhook-timestamp': expect.stringMatching(/^\d{13}$/),
    });
    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 1 });
  });

  it('is retried when the endpoint answers 5xx', async () => {
    receiver.answer = (_request, index) => ({ status: index < 2 ? 503 : 200 });
    const pid = await subscribe(tenant, user, receiver.url);

    await createLead('Ada');

    const delivery = await ended(pid);
    expect(delivery).toMatchObject({ status: 'SUCCEEDED', attemptCount: 3 });
    const attempts = await attemptsOf(delivery.pid);
    expect(attempts).toMatchObject([
      { number: 1, trigger: 'event', statusCode: 503, errorClass: 'http' },
      { number: 2, trigger: 'retry', statusCode: 503 },
      { number: 3, trigger: 'retry', statusCode: 200, errorClass: null, responseBody: 'ok' },
    ]);
  });
});
