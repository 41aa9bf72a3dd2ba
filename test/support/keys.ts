import { call, type Answered } from './api.ts';
import { newCode } from './models.ts';
import type { TestUser } from './world.ts';

export const SERVICE_ACCOUNTS = '/api/admin/service-accounts';

export interface TestKey {
  readonly accountPid: string;
  readonly pid: string;
  readonly prefix: string;
  readonly key: string;
}

export async function newAccount({ token }: TestUser, name = newCode()): Promise<string> {
  return (await call(SERVICE_ACCOUNTS, { token, body: { name } })).body.data.pid;
}

export const postKey = ({ token }: TestUser, accountPid: string, body: unknown): Promise<Answered> =>
  call(`${SERVICE_ACCOUNTS}/${accountPid}/keys`, { token, body });

/** A key of a service account of its own, made by `maker`. */
export async function newKey(maker: TestUser, scopes: string[]): Promise<TestKey> {
  const accountPid = await newAccount(maker);
  const { status, body } = await postKey(maker, accountPid, { scopes });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { accountPid, ...body.data };
}
