import { SecretBox } from '../../src/foundation/secrets/secret-box.ts';
import {
  liveSecrets,
  newSecret,
  openHeaders,
  rotateSecrets,
  sealHeaders,
  sealSecret,
} from '../../src/features/webhooks/subscription-secrets.ts';

const box = new SecretBox(['a key of thirty-two characters, or more']);
const HOUR = 3_600_000;
const now = new Date('2026-01-31T12:00:00Z');
const after = (hours: number): Date => new Date(now.getTime() + hours * HOUR);
const seal = (secret: string, at = now): ReturnType<typeof sealSecret> => sealSecret(box, 'p', secret, at);

describe('the secrets of a subscription', () => {
  it('are made as Standard Webhooks has them: whsec_ and 24 bytes or more', () => {
    const secret = newSecret();

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice(6), 'base64').length).toBeGreaterThanOrEqual(24);
    expect(newSecret()).not.toBe(secret);
  });

  it('sign together for the overlap, newest first', () => {
    const secrets = rotateSecrets([seal('old')], seal('new'), 24 * HOUR, now);

    expect(liveSecrets(box, { pid: 'p', secrets }, after(23.9))).toEqual(['new', 'old']);
    expect(liveSecrets(box, { pid: 'p', secrets }, after(24))).toEqual(['new']);
  });

  it('end at once where the overlap is none', () => {
    expect(liveSecrets(box, { pid: 'p', secrets: rotateSecrets([seal('old')], seal('new'), 0, now) }, now)).toEqual([
      'new',
    ]);
  });

  it('keep their own end where a later rotation would give them more time; those that are over are dropped', () => {
    const first = rotateSecrets([seal('a')], seal('b'), HOUR, now);
    const second = rotateSecrets(first, seal('c'), 24 * HOUR, now);
    const third = rotateSecrets(second, seal('d', after(2)), 24 * HOUR, after(2));

    expect(liveSecrets(box, { pid: 'p', secrets: second }, after(0.9))).toEqual(['c', 'b', 'a']);
    expect(liveSecrets(box, { pid: 'p', secrets: second }, after(1.1))).toEqual(['c', 'b']);
    expect(third).toHaveLength(3);
  });

  it('do not open for another subscription', () => {
    expect(() => liveSecrets(box, { pid: 'q', secrets: [seal('s')] }, now)).toThrow(
      'webhook:q:secret cannot be opened',
    );
  });
});

describe('the headers of a subscription', () => {
  it('open again, and are nothing where there are none', () => {
    const headers = sealHeaders(box, 'p', { Authorization: 'Bearer canary' });

    expect(headers).not.toContain('canary');
    expect(openHeaders(box, { pid: 'p', headers })).toEqual({ Authorization: 'Bearer canary' });
    expect(sealHeaders(box, 'p', {})).toBeNull();
    expect(openHeaders(box, { pid: 'p', headers: null })).toEqual({});
  });
});
