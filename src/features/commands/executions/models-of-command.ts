import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { keeperOf } from '../../records/query/expansion.ts';
import { modelsReachedFrom } from '../../records/writing/referrers.ts';
import { COMMAND, modelsOf } from '../command-type.ts';
import type { ExecutionRow } from './execution-store.ts';

/** The models whose records a command may have changed. It may have left the configuration since. */
export function modelsOfCommand({ commandCode, payload }: ExecutionRow, metadata: Snapshot): ReadonlySet<string> {
  const command = metadata.find(COMMAND, commandCode);
  if (command) return modelsReachedFrom(modelsOf(command), metadata);
  // A command of the platform names the model, and the relation.
  const { modelCode, name } = payload;
  const model = typeof modelCode === 'string' ? metadata.models.get(modelCode) : undefined;
  if (!model) return new Set();
  return modelsReachedFrom(typeof name === 'string' ? [model.code, keeperOf(model, name)] : [model.code], metadata);
}
