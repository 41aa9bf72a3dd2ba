import type { PromotionDetails } from './promotions-query.ts';

type Plan = NonNullable<PromotionDetails['plan']>;

/** A resource that two plans treat differently. */
interface PlanDifference {
  readonly pid: string;
  readonly code: string;
  readonly kind: 'added' | 'left' | 'changed';
}

/** What a newer plan does otherwise than the one before it. */
export function planDifferences(former: Plan, plan: Plan): PlanDifference[] {
  const before = new Map(former.items.map((item) => [item.pid, item]));
  const after = new Set(plan.items.map(({ pid }) => pid));
  return [
    ...plan.items.flatMap((item): PlanDifference[] => {
      const { pid, code } = item;
      const old = before.get(pid);
      if (!old) return [{ pid, code, kind: 'added' }];
      return JSON.stringify(old) === JSON.stringify(item) ? [] : [{ pid, code, kind: 'changed' }];
    }),
    ...former.items
      .filter(({ pid }) => !after.has(pid))
      .map(({ pid, code }): PlanDifference => ({ pid, code, kind: 'left' })),
  ];
}
