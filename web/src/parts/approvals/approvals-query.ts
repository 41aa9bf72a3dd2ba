import { queryOptions } from '@tanstack/react-query';
import type { Api, Schemas } from '../../app/api.d.ts';
import type { Me } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { may } from '../../app/permissions.ts';

export type RunApproval = Schemas['WaitingApproval'];
export type Environment = Api['GET /api/admin/environments']['data'][number];
export type Promotion = Schemas['Promotion'];

/** Everything that waits for the caller's decision. */
export interface Waiting {
  readonly runs: readonly RunApproval[];
  /** Environments that someone else has asked to unlock. */
  readonly unlocks: readonly Environment[];
  /** Environments for which someone else has proposed that fewer must agree. */
  readonly policies: readonly Environment[];
  readonly promotions: readonly Promotion[];
  readonly total: number;
}

export const WAITING = ['waiting'] as const;
/** Nobody tells the caller that something has begun to wait. */
const LOOK_EVERY_MS = 60_000;
const SHOWN = 50;

export function waitingQuery(me: Me) {
  return queryOptions({
    queryKey: WAITING,
    refetchInterval: LOOK_EVERY_MS,
    queryFn: async ({ signal }): Promise<Waiting> => {
      const mayPromote = may(me, 'admin:promotions');
      const [asked, environments, validated] = await Promise.all([
        ask('GET /api/automations/approvals', { query: { pageSize: SHOWN }, signal }),
        may(me, 'admin:environments') ? ask('GET /api/admin/environments', { signal }) : [],
        mayPromote
          ? ask('GET /api/admin/promotions', { query: { status: 'VALIDATED', pageSize: SHOWN }, signal })
          : { records: [] as readonly Promotion[] },
      ]);
      const unlocks = environments.filter(({ pendingUnlock: one }) => one !== null && one.proposedBy !== me.userPid);
      const policies = environments.filter(({ pendingPolicy: one }) => one !== null && one.proposedBy !== me.userPid);
      const neededIn = new Map(environments.map(({ id, approvalPolicy }) => [id, approvalPolicy.minApprovals]));
      const promotions = validated.records.filter(
        (one) => isAskedFor(one, me) && isShortOf(one, neededIn.get(one.targetEnvId)),
      );
      const total = asked.total + unlocks.length + policies.length + promotions.length;
      return { runs: asked.records, unlocks, policies, promotions, total };
    },
  });
}

/** Four eyes: who has made it, or agreed to this plan, is not asked. */
function isAskedFor({ createdBy, approvals }: Promotion, { userPid }: Me): boolean {
  return createdBy !== userPid && !approvals.some((one) => one.valid && one.userPid === userPid);
}

/** Whether more people must agree; without knowing how many, it may be so. */
function isShortOf({ approvals }: Promotion, needed = Infinity): boolean {
  return approvals.filter(({ valid }) => valid).length < needed;
}
