import type { Retention } from '../src/database/retention.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

export function purgeActivities(purge: Retention): Pick<Activities, 'purgeBatch'> {
  return { purgeBatch: () => failing(purge.purgeBatch()) };
}
