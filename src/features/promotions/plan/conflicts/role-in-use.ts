import type { ConflictTypeDefinition } from './conflict-type.ts';

/** Users hold the role that would leave the target. It takes consent: here, or with the apply. */
export const ROLE_IN_USE: ConflictTypeDefinition = {
  severity: 'consent',
  resolutions: ['use_source', 'keep_target'],
  async inCandidate({ em, types, source, target }) {
    if (source || !target) return [];
    const problem = await types.find(target.resourceType)?.problemOfRemoval?.(em, target.code);
    return problem ? [{ message: problem, details: { role: target.code } }] : [];
  },
};
