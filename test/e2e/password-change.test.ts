import { call } from '../support/api.ts';
import { runSql } from '../support/platform.ts';
import { isAccepted, logIn, newSession, refresh } from '../support/sessions.ts';
import { newTenant, newUser, PASSWORD } from '../support/world.ts';

describe('POST /api/auth/password', () => {
  const NEW = 'quite another password';
  const change = (token: string, body: unknown) => call('/api/auth/password', { token, body });

  it('sets the password, ends every session on all nodes, and opens a new one for the caller', async () => {
    const { user, jwt: token, refreshToken } = await newSession();
    const body = { currentPassword: PASSWORD, newPassword: NEW };

    const changed = await change(token, body);

    expect(changed.status).toBe(200);
    expect(await isAccepted(token)).toBe(false);
    expect(await isAccepted(user.token)).toBe(false);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await isAccepted(changed.body.data.jwt)).toBe(true);
    expect((await call('/api/auth/login', { body: { email: user.email, password: PASSWORD } })).status).toBe(401);
    expect((await call('/api/auth/login', { body: { email: user.email, password: NEW } })).status).toBe(200);
    const audited = await runSql(`select action, before, after from platform.audit_entry where target_pid = $1`, [
      user.pid,
    ]);
    expect(audited).toEqual([{ action: 'user.password', before: null, after: null }]);
  });

  it('answers 400 VALIDATION_ERROR for a wrong current password, and nothing changes', async () => {
    const { user, jwt: token } = await newSession();

    const { status, body } = await change(token, { currentPassword: 'wrong', newPassword: NEW });

    expect({ status, body }).toEqual({
      status: 400,
      body: {
        code: 'VALIDATION_ERROR',
        message: 'The request is not valid',
        data: { fieldErrors: { currentPassword: 'is wrong' } },
      },
    });
    expect(await isAccepted(user.token)).toBe(true);
  });

  it('takes 12 to 128 characters that are not the e-mail, whatever they are', async () => {
    const { user, jwt: token } = await newSession();
    const length = 'must have 12 to 128 characters';

    for (const [newPassword, problem] of [
      ['elevenchars', length],
      ['🚀'.repeat(11), length],
      ['x'.repeat(129), length],
      ['\ud800'.repeat(12), 'must not contain NUL or ill-formed Unicode'],
      [user.email.toUpperCase(), 'must not be the e-mail'],
      [PASSWORD, 'must not be the current one'],
    ]) {
      const { status, body } = await change(token, { currentPassword: PASSWORD, newPassword });
      expect({ newPassword, status, errors: body.data.fieldErrors }).toEqual({
        newPassword,
        status: 400,
        errors: { newPassword: problem },
      });
    }
    for (const newPassword of ['            ', '🚀'.repeat(12), 'x'.repeat(128)]) {
      const { email } = await newUser(['SALES'], await newTenant());
      const { jwt: own } = await logIn(email);
      expect((await change(own, { currentPassword: PASSWORD, newPassword })).status).toBe(200);
      expect((await logIn(email, newPassword)).jwt).toEqual(expect.any(String));
    }
  });

  it('lets no log-in with the old password through that is under way', async () => {
    const { user, jwt: token } = await newSession();

    const [changed, ...opened] = await Promise.all([
      change(token, { currentPassword: PASSWORD, newPassword: NEW }),
      ...Array.from({ length: 6 }, () => call('/api/auth/login', { body: { email: user.email, password: PASSWORD } })),
    ]);

    expect(changed.status).toBe(200);
    for (const { status, body } of opened) if (status === 200) expect(await isAccepted(body.data.jwt)).toBe(false);
  });
});
