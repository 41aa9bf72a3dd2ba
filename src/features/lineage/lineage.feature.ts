import type { Foundation } from '../../foundation/foundation.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CommandsFeature } from '../commands/commands.feature.ts';
import type { RecordsFeature } from '../records/records.feature.ts';
import { Lineages } from './lineage.ts';
import { lineageEndpoints } from './lineage.endpoints.ts';

/** What requests have caused: commands, changes, events, and what these did in turn. */
export const lineage = {
  create(
    { database }: Foundation,
    { eventConsequences }: Platform,
    { visibility }: RecordsFeature,
    { batches, executions }: CommandsFeature,
  ) {
    const lineages = new Lineages(database, executions, visibility, eventConsequences);
    return { endpoints: lineageEndpoints(lineages, executions, batches) };
  },
};
