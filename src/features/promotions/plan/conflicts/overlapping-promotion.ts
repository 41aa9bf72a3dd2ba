import type { ConflictTypeDefinition } from './conflict-type.ts';

/** Another validated promotion touches the same resource; the sealed plan protects. */
export const OVERLAPPING_PROMOTION: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  inPlan: (items, others) =>
    others.flatMap((other) => {
      const touched = new Set(other.plan?.items.map(({ pid }) => pid));
      return items
        .filter(({ pid }) => touched.has(pid))
        .map((resource) => ({
          resource,
          message: 'Another validated promotion touches it, too',
          details: { promotionPid: other.pid },
        }));
    }),
};
