import type { ConflictTypeDefinition } from './conflict-type.ts';

/** The target had the resource once and deleted it. */
export const DELETED_IN_TARGET: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['use_source', 'skip'],
  inResource({ source, before, isDeliberate, deletion }) {
    if (!source || before || isDeliberate || !deletion) return [];
    return [{ message: 'The target had it and deleted it', details: { ...deletion } }];
  },
};
