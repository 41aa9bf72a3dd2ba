import { MAX_REFUSALS_PER_SECOND } from '../../src/platform/auth/auth.limits.ts';
import { RefusedCredentials } from '../../src/platform/auth/requests/rate-limits.ts';

const LIMITED = expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });

describe('refused credentials', () => {
  const { now } = Date;
  let time = now();
  beforeAll(() => {
    Date.now = () => time;
  });
  afterAll(() => {
    Date.now = now;
  });

  it('of many addresses keep unknown ones out until the second is over', () => {
    const refused = new RefusedCredentials(120);
    for (let address = 0; address < MAX_REFUSALS_PER_SECOND; address += 1) {
      refused.requireFew(`address ${address}`);
      refused.count(`address ${address}`);
    }

    expect(() => refused.requireFew('another address')).toThrow(LIMITED);
    time += 1_000;
    expect(() => refused.requireFew('another address')).not.toThrow();
  });

  it('without a limit of an address keep none out beyond the second that is too full', () => {
    const refused = new RefusedCredentials(0);
    for (let sent = 0; sent < 1_000; sent += 1) refused.count('address');

    expect(() => refused.requireFew('address')).toThrow(LIMITED);
    time += 1_000;
    expect(() => refused.requireFew('address')).not.toThrow();
  });

  it('count until they turn out to be good', () => {
    const refused = new RefusedCredentials(1);
    const takeBack = refused.count('address');

    expect(() => refused.requireFew('address')).toThrow();
    takeBack();
    expect(() => refused.requireFew('address')).not.toThrow();
  });
});
