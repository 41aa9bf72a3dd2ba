import { parseTimestamp } from '../../src/foundation/database/result-types.ts';

describe("Postgres' text of a timestamptz in UTC", () => {
  it.each([
    ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:00.2+00', '2026-01-31T09:30:00.200Z'],
    ['2026-01-31 09:30:00.25+00', '2026-01-31T09:30:00.250Z'],
    ['2026-01-31 09:30:00.123+00', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31 09:30:00.123456+00', '2026-01-31T09:30:00.123Z'],
    ['2026-12-31 23:59:59.999999+00', '2026-12-31T23:59:59.999Z'],
    ['0099-12-31 00:01:00+00', '0099-12-31T00:01:00.000Z'],
  ])('%s is %s in JSON', (text, json) => {
    expect(parseTimestamp(text)).toBe(json);
    expect(new Date(json).toISOString()).toBe(json);
  });
});
