import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';

export type Promotion = Api['GET /api/admin/promotions']['data']['records'][number];
export type PromotionDetails = Api['GET /api/admin/promotions/{pid}']['data'];
export type Change = Api['GET /api/admin/promotions/{pid}/changes']['data'][number];
export type ChangeDetails = Api['GET /api/admin/promotions/{pid}/changes/{resourcePid}']['data'];
export type Conflict = Promotion['conflicts'][number];
export type PromotionStatus = Promotion['status'];
export type Differences = Api['GET /api/admin/environments/diff']['data'];
export type Difference = Differences['added'][number];

export const PROMOTIONS = ['promotions'] as const;
/** Nothing tells that someone has made another promotion. */
const LOOK_EVERY_MS = 30_000;
const SHOWN = 50;

export function promotionsQuery(status: PromotionStatus | undefined, pageNum: number) {
  return queryOptions({
    queryKey: [...PROMOTIONS, 'list', status ?? '', pageNum],
    refetchInterval: LOOK_EVERY_MS,
    queryFn: ({ signal }) =>
      ask('GET /api/admin/promotions', {
        query: { pageNum, pageSize: SHOWN, ...(status !== undefined && { status }) },
        signal,
      }),
  });
}

/** One promotion; its stream says when to read it again, a look now and then that it cannot be read. */
export function promotionQuery(pid: string) {
  return queryOptions({
    queryKey: [...PROMOTIONS, pid],
    queryFn: ({ signal }) => ask('GET /api/admin/promotions/{pid}', { params: { pid }, signal }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? LOOK_EVERY_MS : false),
  });
}

/** @param isOpen source and target of an open one can change without a word */
export function changesQuery(pid: string, isOpen: boolean) {
  return queryOptions({
    queryKey: [...PROMOTIONS, pid, 'changes'],
    refetchInterval: isOpen ? LOOK_EVERY_MS : false,
    queryFn: ({ signal }) => ask('GET /api/admin/promotions/{pid}/changes', { params: { pid }, signal }),
  });
}

export function changeQuery(pid: string, resourcePid: string) {
  return queryOptions({
    queryKey: [...PROMOTIONS, pid, 'changes', resourcePid],
    queryFn: ({ signal }) =>
      ask('GET /api/admin/promotions/{pid}/changes/{resourcePid}', { params: { pid, resourcePid }, signal }),
  });
}

export function differencesQuery(source: string, target: string) {
  return queryOptions({
    queryKey: [...PROMOTIONS, 'differences', source, target],
    queryFn: ({ signal }) => ask('GET /api/admin/environments/diff', { query: { source, target }, signal }),
  });
}

/** Letters of a plan's seal: enough to tell two apart. */
const SEAL_LETTERS = 6;

export function sealOf(plan: { readonly hash: string }): string {
  return plan.hash.slice(0, SEAL_LETTERS);
}

const ENDED: ReadonlySet<PromotionStatus> = new Set(['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED']);

/** Whether something can still be done with it. */
export function isOpen({ status }: Pick<Promotion, 'status'>): boolean {
  return !ENDED.has(status);
}

/** Whether something can still happen to it. */
export function isLive(promotion: Pick<Promotion, 'status' | 'soak'>): boolean {
  const { status } = promotion.soak ?? {};
  return isOpen(promotion) || status === 'WATCHING' || status === 'ROLLING_BACK';
}
