import { localized } from '../../src/foundation/i18n/text.ts';
import {
  beginSoak,
  judge,
  lookEveryMs,
  type Observation,
  type Soak,
} from '../../src/features/promotions/promotion/soak.ts';

const start = new Date('2030-01-01T00:00:00Z');
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const order = { seconds: 60, maxErrorRate: 0.1, minCommands: 10 };
const soak = beginSoak(order, start);
const seen = (rest: Partial<Observation> = {}): Observation => ({
  down: [],
  away: [],
  commands: 0,
  failed: 0,
  ...rest,
});
const reasonOf = ({ reason }: Soak) => String(localized(reason));

describe('a soak', () => {
  it('begins to watch, for as long as it was asked to', () => {
    expect(soak).toEqual({
      ...order,
      until: '2030-01-01T00:01:00.000Z',
      status: 'WATCHING',
      seen: null,
      seenAt: null,
      unhealthyLooks: 0,
      rollbackPid: null,
      reason: null,
    });
  });

  it.each<[seconds: number, status: Soak['status']]>([
    [1, 'WATCHING'],
    [59, 'WATCHING'],
    [60, 'PASSED'],
    [3_600, 'PASSED'],
  ])('without trouble is after %d s %s', (seconds, status) => {
    expect(judge(soak, seen({ commands: 100, failed: 10 }), at(seconds))).toMatchObject({ status, reason: null });
  });

  it.each<[commands: number, failed: number, status: Soak['status']]>([
    [9, 9, 'WATCHING'],
    [10, 1, 'WATCHING'],
    [10, 2, 'ROLLING_BACK'],
    [1_000, 101, 'ROLLING_BACK'],
  ])('that sees of %d commands %d fail is %s', (commands, failed, status) => {
    expect(judge(soak, seen({ commands, failed }), at(1))).toMatchObject({ status, seen: { commands, failed } });
  });

  it('says what it has seen', () => {
    expect(reasonOf(judge(soak, seen({ commands: 40, failed: 5 }), at(1)))).toBe(
      '5 of 40 commands since the apply have failed (12.5 %; allowed: 10 %)',
    );
  });

  it('bears an unhealthy program for two looks, not for three in a row', () => {
    const ill = seen({ down: ['redis'] });
    const once = judge(soak, ill, at(1));
    const twice = judge(once, ill, at(2));
    expect([once.status, twice.status]).toEqual(['WATCHING', 'WATCHING']);
    expect(judge(twice, seen(), at(3))).toMatchObject({ status: 'WATCHING', unhealthyLooks: 0 });
    const thrice = judge(twice, ill, at(3));
    expect([thrice.status, reasonOf(thrice)]).toEqual(['ROLLING_BACK', 'redis DOWN for 3 looks in a row']);
  });

  it('does not pass while the program is unhealthy', () => {
    const ill = judge(soak, seen({ down: ['db'] }), at(61));
    expect(ill.status).toBe('WATCHING');
    expect(judge(ill, seen(), at(62)).status).toBe('PASSED');
  });

  it('neither passes nor is rolled back while a shared dependency is away', () => {
    const away = seen({ away: ['redis'] });
    let watched = judge(soak, away, at(61));
    for (let second = 62; second < 70; second += 1) watched = judge(watched, away, at(second));

    expect(watched).toMatchObject({ status: 'WATCHING', unhealthyLooks: 0 });
    expect(judge(watched, seen(), at(70)).status).toBe('PASSED');
  });

  it.each([
    [1, 500],
    [60, 3_000],
    [14_400, 60_000],
  ])('of %d s looks every %d ms', (seconds, everyMs) => {
    expect(lookEveryMs({ ...order, seconds })).toBe(everyMs);
  });
});
