import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { TenantEntity } from '../accounts/tenant.entity.ts';

/**
 * Whether a tenant may be acted for: what no request asks for (messages, answers) must not go on in a
 * suspended one.
 */
export async function isActiveTenant(em: PlatformEntityManager, id: string): Promise<boolean> {
  return (await em.count(TenantEntity, { id, status: 'active' })) > 0;
}
