import { call, list } from './api.ts';
import { anotherNode } from './nodes.ts';
import { newTenant, newUser, PASSWORD } from './world.ts';

const UNAUTHORIZED = { code: 'UNAUTHORIZED', message: 'The token or API key is not valid, or has expired', data: null };

export const refresh = (refreshToken: unknown, baseUrl?: string) =>
  call('/api/auth/refresh', { body: { refreshToken }, ...(baseUrl && { baseUrl }) });

/** A user with a session beside that of `user.token`. */
export async function newSession(roles = ['SALES']) {
  const user = await newUser(roles, await newTenant());
  return { user, ...(await logIn(user.email)) };
}

export async function logIn(email: string, password = PASSWORD): Promise<{ jwt: string; refreshToken: string }> {
  return (await call('/api/auth/login', { body: { email, password } })).body.data;
}

/** Whether this node and another one accept a token. */
export async function isAccepted(token: string): Promise<boolean> {
  const here = await list(token, 'leads');
  const there = await list(token, 'leads', {}, { baseUrl: await anotherNode() });
  expect(there.status).toBe(here.status);
  if (here.status !== 200) expect([here.body, there.body]).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
  return here.status === 200;
}
