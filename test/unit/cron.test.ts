import { canBeDue } from '../../src/foundation/expressions/cron.ts';

describe('a cron expression', () => {
  it.each([
    ['* * * * *', 'UTC', '2026-03-01T12:34:00Z'],
    ['*/15 9-17 * * MON-FRI', 'UTC', '2026-03-02T09:45:00Z'],
    ['30 2 * * *', 'Asia/Shanghai', '2026-03-01T18:30:00Z'],
    ['0 0 1 jan *', 'UTC', '2026-01-01T00:00:00Z'],
    ['5/20 * * * *', 'UTC', '2026-01-01T00:25:00Z'],
    ['0 8 * * 7', 'UTC', '2026-03-01T08:00:00Z'],
    ['@weekly', 'UTC', '2026-03-01T00:00:00Z'],
    ['0 0,12 ? * ?', 'UTC', '2026-03-01T12:00:00Z'],
    // The clocks change here.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
  ])('%s (%s) can be due at %s', (cron, zone, time) => {
    expect(canBeDue(cron, zone, new Date(time))).toBe(true);
  });

  it.each([
    ['* * * * *', 'UTC', '2026-03-01T12:34:01Z'],
    ['*/15 9-17 * * MON-FRI', 'UTC', '2026-03-02T09:46:00Z'],
    ['*/15 9-17 * * MON-FRI', 'UTC', '2026-03-02T20:45:00Z'],
    ['0 0 1 jan *', 'UTC', '2026-02-01T00:00:00Z'],
    ['0 8 1 * 7', 'UTC', '2026-03-03T08:00:00Z'],
    ['30 2 * * *', 'Asia/Shanghai', '2026-03-01T02:30:00Z'],
  ])('%s (%s) cannot at %s', (cron, zone, time) => {
    expect(canBeDue(cron, zone, new Date(time))).toBe(false);
  });
});
