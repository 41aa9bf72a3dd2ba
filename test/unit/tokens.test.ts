import { Tokens } from '../../src/platform/auth/sessions/token.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const claims = { tokenId: 'T', userPid: 'U', tenantId: '1' };
const bearer = (tokens: Tokens, at = new Date()): string => `Bearer ${tokens.sign(claims, at)}`;

describe('tokens under several secrets', () => {
  const both = new Tokens([NEW, OLD]);

  it('are verified with all of them, and signed with the first', () => {
    expect(both.verify(bearer(new Tokens([OLD])))).toMatchObject(claims);
    expect(new Tokens([NEW]).verify(bearer(both))).toMatchObject(claims);
    expect(() => new Tokens([OLD]).verify(bearer(both))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  });

  it('are refused under a secret that is none of them, and when they are over', () => {
    const foreign = bearer(new Tokens(['f'.repeat(32)]));
    const over = bearer(new Tokens([OLD]), new Date(Date.now() - 3_601_000));

    for (const token of [foreign, over]) {
      expect(() => both.verify(token)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
    }
  });
});
