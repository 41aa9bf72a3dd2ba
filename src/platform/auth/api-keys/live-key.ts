import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApiKeyEntity } from './service-account.entity.ts';

/** Whether a service account has a key, neither revoked nor expired, that this user answers for. */
export async function isKeyLive(orm: PlatformOrm, accountPid: string, ownedBy: string): Promise<boolean> {
  const notExpired = { $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] };
  const keys = await orm.em.fork().count(ApiKeyEntity, { serviceAccount: { pid: accountPid }, ownedBy, ...notExpired });
  return keys > 0;
}
