import type { ConflictTypeDefinition } from './conflict-type.ts';

/** Users hold the role, or a tenant has the channel, whose code would leave the target. It takes consent. */
export const IN_USE: ConflictTypeDefinition = {
  severity: 'consent',
  resolutions: ['use_source', 'keep_target'],
  async inResource({ em, types, input, source, target, isSucceeded }) {
    if (!target || source?.code === target.code || isSucceeded) return [];
    const problem = await types.find(target.resourceType)?.problemOfRemoval?.(em, target.code, input.targetCode);
    return problem ? [{ message: problem, details: { code: target.code } }] : [];
  },
};
