import { isCalendarDate, parseIsoDatetime } from '../../src/foundation/validation/iso-datetime.ts';

describe('a time in a request', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31t09:30:00.123456z', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31 09:30:00+02:00', '2026-01-31T07:30:00.000Z'],
    ['0100-01-01T00:00:00+01:00', '0099-12-31T23:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseIsoDatetime(text)?.toISOString()).toBe(iso);
  });

  it.each([
    '',
    '1',
    'now',
    'March 7',
    '2026',
    '2026-01',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-01-31T',
    '2026-01-31Z',
  ])('%j is none', (text) => {
    expect(parseIsoDatetime(text)).toBeNull();
  });

  it.each(['2026-01-31T09:30:00', '2026-01-31T09:30', '2026-01-31T09:30:00 CET'])('%s has no zone', (text) => {
    expect(parseIsoDatetime(text)).toBeNull();
  });

  it.each([
    '0000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
  ])('%s is in a year that four digits do not write', (text) => {
    expect(parseIsoDatetime(text)).toBeNull();
  });

  it('may be a day that the calendar has', () => {
    expect(['2028-02-29', '2026-02-29', '2026-13-01', '2026-00-10'].map(isCalendarDate)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
