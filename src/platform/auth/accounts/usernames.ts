import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { UserEntity } from './user.entity.ts';

/** The names of users, by pid. Service accounts, and who is gone, have none. */
export async function usernamesOf(
  em: PlatformEntityManager,
  pids: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(pids.flatMap((pid) => pid ?? []))];
  if (wanted.length === 0) return new Map();
  const users = await em.find(UserEntity, { pid: { $in: wanted } }, { fields: ['pid', 'username'] });
  return new Map(users.map(({ pid, username }) => [pid, username]));
}

/** The same of one of them. */
export async function usernameOf(em: PlatformEntityManager, pid: string | null | undefined): Promise<string | null> {
  return (await usernamesOf(em, [pid])).get(pid ?? '') ?? null;
}
