import { sqlRunnerOf, type PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Plan } from './state/promotion-plan.ts';

/**
 * Writes a promotion's plan past the entity manager, which would copy, compare and quote megabytes at once.
 * The entity keeps the plan that it was read with.
 */
export async function storePlan(em: PlatformEntityManager, pid: string, { items, ...rest }: Plan): Promise<void> {
  const written: string[] = [];
  for (const item of items) {
    await letOthersRun();
    written.push(JSON.stringify(item));
  }
  const plan = `{"items":[${written.join(',')}],${JSON.stringify(rest).slice(1)}`;
  await em.flush();
  await sqlRunnerOf(em).query('update platform.promotion set plan = $2::json where pid = $1', [pid, plan]);
}
