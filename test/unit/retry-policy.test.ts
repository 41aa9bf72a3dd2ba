import { nextDelayMs, retryAfterMs, retryWindowMs } from '../../src/features/webhooks/deliveries/retry-policy.ts';

const HOUR_MS = 3_600_000;
const policy = { maxRetries: 3, scheduleMs: [1_000, 5_000], timeoutMs: 10_000 };

describe('the delay before the next attempt', () => {
  it('is the one of the schedule for that retry', () => {
    expect(nextDelayMs(policy, 1, null, 0)).toBe(1_000);
    expect(nextDelayMs(policy, 2, null, 0)).toBe(5_000);
  });

  it('stays at the last one of the schedule', () => {
    expect(nextDelayMs(policy, 3, null, 0)).toBe(5_000);
  });

  it('is up to 20 % longer, and never shorter', () => {
    expect(nextDelayMs(policy, 1, null, 1)).toBe(1_200);
    expect(nextDelayMs(policy, 1, null, 0.5)).toBe(1_100);
  });

  it('is none when as many retries have failed as there may be', () => {
    expect(nextDelayMs(policy, 4)).toBeNull();
    expect(nextDelayMs({ ...policy, maxRetries: 0 }, 1)).toBeNull();
  });

  it('is lengthened by Retry-After, up to an hour', () => {
    expect(nextDelayMs(policy, 1, 30_000, 0)).toBe(30_000);
    expect(nextDelayMs(policy, 1, 100 * HOUR_MS, 0)).toBe(HOUR_MS);
  });

  it('is never shortened by Retry-After', () => {
    expect(nextDelayMs(policy, 2, 1, 0)).toBe(5_000);
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['zero', '0', 0],
    ['an HTTP date', 'Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    ['a date that has passed', 'Wed, 31 Dec 1969 23:59:00 GMT', 0],
    ['nonsense', 'soon', null],
    ['a negative number', '-5x', null],
    ['nothing', undefined, null],
  ])('given as %s', (_what, header, expected) => {
    expect(retryAfterMs(header, 0)).toBe(expected);
  });
});

describe('the time that all tries together may take', () => {
  it('has room for every delay and every timeout, and half as much again', () => {
    const long = { maxRetries: 2, scheduleMs: [HOUR_MS], timeoutMs: 10_000 };

    expect(retryWindowMs(long)).toBeGreaterThanOrEqual(1.5 * (2 * HOUR_MS + 30_000));
    expect(retryWindowMs(long)).toBeLessThan(5 * HOUR_MS);
  });

  it('is an hour at least: an endpoint may be away for longer than a short schedule', () => {
    expect(retryWindowMs(policy)).toBe(HOUR_MS);
  });
});
