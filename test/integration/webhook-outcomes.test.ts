import { ulid } from 'ulid';
import { outcomeWriter, type AttemptEnd } from '../../src/features/webhooks/deliveries/delivery-attempts.ts';
import { until } from '../support/faults.ts';
import { endpointOf, subscribe } from '../support/webhooks.ts';
import { container, signedIn } from '../support/world.ts';

const { tenant, user } = signedIn('ADMIN');

const REFUSED: AttemptEnd = {
  status: 'RETRYING',
  failedCount: 1,
  delayMs: 60_000,
  durationMs: 1,
  statusCode: null,
  errorClass: 'connect',
  errorMessage: 'refused',
  ip: null,
  responseHeaders: null,
  responseBody: null,
  responseTruncated: null,
  healthy: false,
};

describe('the outcomes of several endpoints', () => {
  it('lock them in the order in which slots are granted, so that neither waits for the other for ever', async () => {
    const { database } = await container();
    const subscribed = Array.from({ length: 20 }, () => subscribe(tenant, user, 'http://127.0.0.1:1/'));
    const pids = (await Promise.all(subscribed)).toSorted();
    const [first = '', ...others] = pids;
    const write = outcomeWriter(database, { failures: 5, coolDownMs: 1_000, maxInFlight: 8 });
    const LOCK =
      'select 1 as locked from platform.webhook_endpoint where subscription_pid = any($1) for update skip locked';

    const writing = await database.transaction(async (transaction) => {
      await transaction.query(LOCK, [[first]]);
      const [us] = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      const outcomes = pids.toReversed().map((subscriptionPid) => {
        return write({ attempt: { pid: ulid(), attemptCount: 1, subscriptionPid }, end: REFUSED });
      });
      await until('they wait', async () => {
        const BLOCKED = 'select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
        return (await database.query(BLOCKED, [us?.pid])).length > 0;
      });

      expect(await transaction.query(LOCK, [others])).toHaveLength(others.length);
      // Not waited for in here: they wait for the end of this transaction.
      return () => Promise.all(outcomes);
    });
    await writing();

    for (const pid of pids) expect(await endpointOf(pid)).toMatchObject({ failures: 1 });
  });
});
