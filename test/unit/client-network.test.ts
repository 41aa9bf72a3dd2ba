import { clientNetwork } from '../../src/platform/auth/requests/rate-limits.ts';

describe('the address that log-ins are counted by', () => {
  it('is an IPv4 address as it is, however it is written', () => {
    expect(clientNetwork('203.0.113.7')).toBe('203.0.113.7');
    expect(clientNetwork('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(clientNetwork('::ffff:cb00:7107')).toBe('203.0.113.7');
  });

  it('is the /64 of an IPv6 address', () => {
    const network = clientNetwork('2001:db8:1:2::1');
    expect(network).toBe('20010db800010002/64');
    expect(clientNetwork('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(network);
    expect(clientNetwork('2001:0DB8:0001:0002:0:0:0:9')).toBe(network);
    expect(clientNetwork('2001:db8:1:3::1')).not.toBe(network);
    expect(clientNetwork('::1')).toBe('0000000000000000/64');
  });

  it('is one for all who have none', () => {
    expect(clientNetwork(undefined)).toBe('unknown');
    expect(clientNetwork('<script>')).toBe('unknown');
  });
});
