import { setTimeout as sleep } from 'node:timers/promises';
import {
  currentTraceId,
  logContext,
  logTenant,
  newTraceId,
  traceHeaders,
  traceIdFrom,
  withLogContext,
} from '../../src/foundation/logging/trace.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('a trace id', () => {
  it('has the form of W3C trace context and is another one each time', () => {
    const ids = Array.from({ length: 100 }, newTraceId);

    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(ids).size).toBe(100);
  });

  it("is the caller's where it sent a valid traceparent", () => {
    expect(traceIdFrom(`00-${ID}-00f067aa0ba902b7-01`)).toBe(ID);
    expect(traceIdFrom(`cc-${ID}-00f067aa0ba902b7-00`)).toBe(ID);
  });

  it.each([
    undefined,
    '',
    ID,
    `00-${ID}`,
    `00-${ID.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${ID.slice(1)}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${ID}-00f067aa0ba902b7-01\n`,
    ` 00-${ID}-00f067aa0ba902b7-01`,
  ])('is a new one for %j', (traceparent) => {
    const id = traceIdFrom(traceparent);

    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(id).not.toBe(ID);
    expect(id).not.toMatch(/^0+$/);
  });

  it('goes on to another service in a header of the same form', () => {
    const headers = withLogContext({ traceId: ID }, () => [traceHeaders().traceparent, traceHeaders().traceparent]);

    for (const header of headers) expect(traceIdFrom(header)).toBe(ID);
    expect(new Set(headers).size).toBe(2);
    expect([traceHeaders(), withLogContext({ traceId: 'no trace id' }, traceHeaders)]).toEqual([{}, {}]);
  });

  it('follows the work it was given to through awaits, and nothing beside it', async () => {
    const seen = async (): Promise<string | undefined> => {
      await sleep(1);
      return currentTraceId();
    };

    expect(
      await Promise.all([withLogContext({ traceId: 'a' }, seen), withLogContext({ traceId: 'b' }, seen), seen()]),
    ).toEqual(['a', 'b', undefined]);
    expect(withLogContext({ traceId: 'a' }, () => withLogContext({ traceId: 'b' }, currentTraceId))).toBe('b');
  });

  it('takes the tenant of a row, and that of a request once it is authenticated', () => {
    const row = { traceId: ID, tenantId: '7', secret: 'x' };
    const request = () => {
      logTenant('8');
      return logContext();
    };

    expect(withLogContext(row, logContext)).toEqual({ traceId: ID, tenantId: '7' });
    expect(withLogContext({ traceId: ID }, request)).toEqual({ traceId: ID, tenantId: '8' });
    logTenant('9');
    expect(logContext()).toEqual({});
  });
});
