import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

interface Purge {
  purgeBatch(): ReturnType<Activities['purgeBatch']>;
}

export function purgeActivities(purge: Purge): Pick<Activities, 'purgeBatch'> {
  return { purgeBatch: () => failing(purge.purgeBatch()) };
}
