import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { assistantActivities } from '../../activities/assistant.activities.ts';
import { authActivities } from '../../activities/auth.activities.ts';
import { automationActivities } from '../../activities/automations.activities.ts';
import { checkedActivities } from '../../src/platform/checked-activities.ts';
import { buildActivities } from '../../activities/builds.activities.ts';
import { commandActivities } from '../../activities/commands.activities.ts';
import { importActivities } from '../../activities/imports.activities.ts';
import { promotionActivities } from '../../activities/promotions.activities.ts';
import { purgeActivities } from '../../activities/purge.activities.ts';
import { webhookActivities } from '../../activities/webhooks.activities.ts';
import { ApplicationError, unavailable } from '../../src/foundation/errors/application-error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/foundation/errors/catalogue.ts';
import type { Activities } from '../../workflows/contracts.ts';

type Name = keyof Activities;
type Work = (...input: unknown[]) => Promise<unknown>;

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
const INPUT = { messagePid: 'message', deliveryPid: 'delivery', runPid: 'run', userPid: 'user', executionPid: 'one' };

/** The program's activities over services that do `work`, as does their every method. */
function activitiesOver(work: Work): Record<Name, Work> {
  const service = new Proxy(work, { get: () => work }) as never;
  const activities: Activities = {
    ...assistantActivities(service),
    ...authActivities(service),
    ...automationActivities(service),
    ...buildActivities(service),
    ...commandActivities(service, service),
    ...importActivities(service),
    ...promotionActivities(service, service),
    ...purgeActivities(service),
    ...webhookActivities(service, service),
  };
  return activities as unknown as Record<Name, Work>;
}
const environment = () => new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
const NAMES = Object.keys(activitiesOver(async () => undefined)) as Name[];

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe.each(NAMES)('the activity %s', (name) => {
  const failureOf = (error: unknown) =>
    environment()
      .run(activitiesOver(() => Promise.reject(error as Error))[name], INPUT)
      .catch((failure: unknown) => failure);

  it('gives what its service gives', async () => {
    const { [name]: activity } = activitiesOver(async () => 'the outcome');

    const outcome = await environment().run(activity, INPUT);

    expect(outcome).toBe('the outcome');
  });

  it.each(CODES.filter((code) => code !== 'SERVICE_UNAVAILABLE'))('fails for good with %s', async (code) => {
    expect(await failureOf(new ApplicationError(code))).toMatchObject({ type: code, nonRetryable: true });
  });

  it.each([
    ['a dependency that is away', unavailable('postgres', new Error('of mary@example.com'))],
    ['an error of the driver', new Error('of mary@example.com')],
  ])('is to be tried again after %s, of which the history learns nothing', async (_what, error) => {
    const failure = await failureOf(error);

    expect(failure).toMatchObject({ type: 'SERVICE_UNAVAILABLE', nonRetryable: false, stack: '' });
    expect(JSON.stringify(failure)).not.toContain('mary');
    expect(failure).not.toHaveProperty('cause.message');
  });
});

/** The activities that take their time, and the heartbeat time-out that the workflows give them. */
const LONG: [Name, number][] = [
  ['attemptDelivery', 10_000],
  ['runStep', 10_000],
  ['sendResetMail', 10_000],
  ['makeReply', 5_000],
];

describe.each(LONG)('the heartbeat of %s', (name, timeoutMs) => {
  it.each(['resolve', 'reject'] as const)('comes twice within its time-out, until its service %ss', async (end) => {
    const work = Promise.withResolvers<unknown>();
    const mocked = environment();
    let heartbeats = 0;
    mocked.on('heartbeat', () => (heartbeats += 1));
    const running = mocked.run(activitiesOver(() => work.promise)[name], INPUT).catch(() => undefined);

    for (let lengths = 1; lengths <= 3; lengths += 1) {
      jest.advanceTimersByTime(timeoutMs);
      expect(heartbeats).toBeGreaterThanOrEqual(2 * lengths);
    }
    work[end](new Error('the end'));
    await running;
    const before = heartbeats;
    jest.advanceTimersByTime(10 * timeoutMs);

    expect(heartbeats).toBe(before);
  });
});

describe('a reply whose activity is cancelled', () => {
  it('hears of it by the signal it was given', async () => {
    const mocked = environment();
    const { makeReply } = activitiesOver(
      (_messagePid, signal) =>
        new Promise((_resolve, reject) => {
          (signal as AbortSignal).addEventListener('abort', () => reject(new ApplicationError('INTERNAL_ERROR')));
        }),
    );
    const running = mocked.run(makeReply, INPUT).catch((failure: unknown) => failure);

    mocked.cancel();

    expect(await running).toMatchObject({ type: 'INTERNAL_ERROR' });
  });
});

describe.each(NAMES.filter((name) => name !== 'purgeBatch'))(
  'the input of %s, from whoever starts a workflow',
  (name) => {
    const any = { $ne: null };
    const hostile = { executionPid: any, groupPid: any, executionPids: any, promotionPid: any, deliveryPids: [any] };

    it.each([undefined, null, {}, [], 'x', hostile, { ...hostile, runPid: 'a\0', messagePid: 'x'.repeat(33) }])(
      '%j is refused for good, and reaches no service',
      async (input) => {
        let asked = 0;
        const service = async () => void (asked += 1);
        const { [name]: activity } = checkedActivities(activitiesOver(service) as never) as unknown as Record<
          Name,
          Work
        >;

        const failure: unknown = await environment()
          .run(activity, input)
          .catch((error: unknown) => error);

        expect(failure).toMatchObject({ type: 'VALIDATION_ERROR', nonRetryable: true });
        expect(asked).toBe(0);
      },
    );
  },
);
