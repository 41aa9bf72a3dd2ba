import { dayIn, isTimeZone, momentAt, startOfDay, wallClock } from '../../src/foundation/time/time-zones.ts';

describe('time zones', () => {
  it.each([
    ['2026-01-31T16:00:00.000Z', 'Asia/Shanghai', '2026-02-01'],
    ['2026-01-31T15:59:59.999Z', 'Asia/Shanghai', '2026-01-31'],
    ['2026-01-31T04:00:00.000Z', 'America/New_York', '2026-01-30'],
    ['2026-01-31T23:00:00.000Z', 'UTC', '2026-01-31'],
  ])('%s is in %s on %s', (moment, zone, day) => {
    expect(dayIn(new Date(moment), zone)).toBe(day);
  });

  it.each([
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
    ['2026-01-01', 'Asia/Shanghai', '2025-12-31T16:00:00.000Z'],
    ['2026-01-01', 'America/St_Johns', '2026-01-01T03:30:00.000Z'],
    // The clocks leave midnight out.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['0999-01-01', 'UTC', '0999-01-01T00:00:00.000Z'],
  ])('%s begins in %s at %s', (day, zone, moment) => {
    expect(startOfDay(day, zone).toISOString()).toBe(moment);
  });

  it('are put forward and back: what is left out comes later, of what comes twice the first is meant', () => {
    const at = (shown: string) => momentAt(new Date(`${shown}Z`), 'Europe/Berlin').toISOString();
    expect(at('2026-03-29T02:30:00')).toBe('2026-03-29T01:30:00.000Z');
    expect(at('2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00.000Z');
    expect(at('2026-10-25T03:30:00')).toBe('2026-10-25T02:30:00.000Z');
  });

  it('show moments, to the millisecond, which lead back to them', () => {
    for (let hour = 0; hour < 24 * 366; hour += 7) {
      const moment = new Date(Date.UTC(2026, 0, 1, hour, 17, 3, 123));
      for (const zone of ['Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']) {
        const again = wallClock(momentAt(wallClock(moment, zone), zone), zone);
        expect(again).toEqual(wallClock(moment, zone));
      }
    }
  });

  it('have names: offsets are none', () => {
    expect(['UTC', 'Asia/Shanghai', 'Etc/GMT+8'].filter(isTimeZone)).toHaveLength(3);
    expect(['+08:00', '8', 'Asia/Shangai', '', 'GMT+8'].filter(isTimeZone)).toEqual([]);
  });
});
