import { hashPassword, verifyPassword } from '../../src/platform/auth/accounts/password-hash.ts';

describe('a password', () => {
  it('is kept as an argon2id hash with a salt of its own', async () => {
    const [one, two] = await Promise.all([hashPassword('secret'), hashPassword('secret')]);

    for (const phc of [one, two]) {
      expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      expect(phc).not.toContain('secret');
    }
    expect(one).not.toBe(two);
  });

  it('is right in its exact spelling alone', async () => {
    const phc = await hashPassword('Grüße 🚀');

    expect(await verifyPassword('Grüße 🚀', phc)).toBe(true);
    for (const wrong of ['grüße 🚀', 'Grüße 🚀 ', '', 'Gru\u0308ße 🚀', phc])
      expect(await verifyPassword(wrong, phc)).toBe(false);
  });

  it('keeps the parameters it was hashed with', async () => {
    // argon2id of "password" with m=64, t=1 and the salt "somesalt", 32 bytes.
    const { argon2Sync } = await import('node:crypto');
    const parameters = {
      message: 'password',
      nonce: Buffer.from('somesalt'),
      memory: 64,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    };
    const hash = argon2Sync('argon2id', parameters).toString('base64').replace(/=+$/, '');

    expect(await verifyPassword('password', `$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$${hash}`)).toBe(true);
  });

  it('of nobody is never right, not even one that is empty', async () => {
    for (const password of ['', 'secret', '\0']) expect(await verifyPassword(password, null)).toBe(false);
  });

  it.each(['', 'secret', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=1,t=1,p=1$x'])(
    'stored as %j is a fault, not a wrong password',
    async (phc) => {
      await expect(verifyPassword('secret', phc)).rejects.toThrow('not in the PHC form');
    },
  );

  it('is hashed at most twice at once: of eight, the first are ready long before the last', async () => {
    const phc = await hashPassword('secret');
    const shares: number[] = [];
    // The best of three: the machine may be busy with something else.
    for (let round = 0; round < 3; round += 1) {
      const startedAt = performance.now();
      const running = Array.from({ length: 8 }, () => verifyPassword('secret', phc));
      await Promise.race(running);
      const first = performance.now() - startedAt;
      await Promise.all(running);
      shares.push(first / (performance.now() - startedAt));
    }

    // Two at once: a quarter. All threads of Node's pool (four) at once: half or more.
    expect(Math.min(...shares)).toBeLessThan(0.4);
  });
});
