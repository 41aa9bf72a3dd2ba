import { QUICK_MS, EndpointSpeeds } from '../../src/features/webhooks/deliveries/endpoint-speeds.ts';

describe('EndpointSpeeds', () => {
  it('gives no place for an endpoint that has not answered yet', () => {
    expect(new EndpointSpeeds().takePlace('a')).toBeNull();
  });

  it('gives a place for one whose last answer was quick, whatever came before', () => {
    const endpoints = new EndpointSpeeds();

    endpoints.observe('a', QUICK_MS + 1);
    expect(endpoints.takePlace('a')).toBeNull();
    endpoints.observe('a', QUICK_MS);
    expect(endpoints.takePlace('a')).not.toBeNull();
    endpoints.observe('a', QUICK_MS + 1);
    expect(endpoints.takePlace('a')).toBeNull();
  });

  it('has 16 places at once for all of them, so that commands have the other workflow tasks', () => {
    const endpoints = new EndpointSpeeds();
    endpoints.observe('a', 1);
    endpoints.observe('b', 1);

    const leave = Array.from({ length: 16 }, (_, index) => endpoints.takePlace(index % 2 === 0 ? 'a' : 'b'));
    expect(leave).not.toContain(null);
    expect(endpoints.takePlace('b')).toBeNull();
    leave[0]?.();
    expect(endpoints.takePlace('b')).not.toBeNull();
  });

  it('remembers 10,000 endpoints, the latest ones', () => {
    const endpoints = new EndpointSpeeds();
    for (let index = 0; index <= 10_000; index += 1) endpoints.observe(String(index), 1);

    expect(endpoints.takePlace('0')).toBeNull();
    expect(endpoints.takePlace('1')).not.toBeNull();
  });
});
