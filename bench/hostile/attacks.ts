import type { Attack } from './attack.ts';
import { echoedWrites } from './echoed-writes.ts';
import { importedWrites } from './imported-writes.ts';
import { jsonBodies } from './json-bodies.ts';
import { jsonQueries } from './json-queries.ts';
import { jsonStructures } from './json-structures.ts';
import { listsAtOnce } from './lists-at-once.ts';
import { sqlLargeValues } from './sql-large-values.ts';
import { sharedRelatedRecord } from './shared-related-record.ts';
import { workbooks } from './workbooks.ts';

export const ATTACKS: readonly Attack[] = [
  sharedRelatedRecord,
  echoedWrites,
  importedWrites,
  listsAtOnce,
  jsonStructures,
  jsonBodies,
  jsonQueries,
  sqlLargeValues,
  workbooks,
];
