import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { UserEntity } from './user.entity.ts';

/** Looks up the names of these users by pid. Service accounts, and who is gone, have none: null. */
export async function usernamesOf(
  em: PlatformEntityManager,
  pids: readonly (string | null | undefined)[],
): Promise<(pid: string | null | undefined) => string | null> {
  const wanted = [...new Set(pids.flatMap((pid) => pid ?? []))];
  if (wanted.length === 0) return () => null;
  const users = await em.find(UserEntity, { pid: { $in: wanted } }, { fields: ['pid', 'username'] });
  const names = new Map(users.map(({ pid, username }) => [pid, username]));
  return (pid) => names.get(pid ?? '') ?? null;
}

/** The same of one of them. */
export async function usernameOf(em: PlatformEntityManager, pid: string | null | undefined): Promise<string | null> {
  return (await usernamesOf(em, [pid]))(pid);
}
