import type { ConflictTypeDefinition } from './conflict-type.ts';

/** Another validated promotion touches the same resource; the sealed plan protects. */
export const OVERLAPPING_PROMOTION: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  inPlan: (items, others) =>
    others.flatMap((other) =>
      items
        .filter((item) => other.plan?.items.some(({ pid }) => pid === item.pid))
        .map((resource) => ({
          resource,
          message: 'Another validated promotion touches it, too',
          details: { promotionPid: other.pid },
        })),
    ),
};
