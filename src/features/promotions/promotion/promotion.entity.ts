import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { ExportEntry } from '../../environments/environment-export.ts';
import type { Conflict, Resolution } from '../plan/conflict.ts';
import type { Plan, Unit } from '../plan/state/promotion-plan.ts';
import type { Soak, SoakOrder } from './soak.ts';
import type { PromotedApplication } from './manifests.ts';

export const PROMOTION_STATUSES = [
  'DRAFT',
  'VALIDATED',
  'APPLIED',
  'FAILED',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
] as const;
export type PromotionStatus = (typeof PROMOTION_STATUSES)[number];

/** Statuses in which nothing more can be done with a promotion. */
export const ENDED: readonly PromotionStatus[] = ['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED'];

/**
 * Spec: "Promotion". Its source is an environment, or an export (an import, or the inverse of another
 * promotion).
 */
export const PromotionEntity = defineEntity({
  name: 'Promotion',
  tableName: 'promotion',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    sourceEnvId: p.integer().nullable(),
    targetEnvId: p.integer(),
    units: p.json<Unit[] | '*'>().columnType('json'),
    /** The resources of an export. */
    snapshot: p.json<readonly ExportEntry[]>().columnType('json').nullable().lazy(),
    rollbackOf: p.string().length(32).nullable(),
    status: p.enum([...PROMOTION_STATUSES]).$type<PromotionStatus>(),
    autoInclude: p.boolean().default(false),
    resolutions: p.json<Resolution[]>().columnType('json'),
    conflicts: p.json<Conflict[]>().columnType('json'),
    plan: p.json<Plan>().columnType('json').nullable(),
    applyAt: p.datetime(3).nullable(),
    createdBy: p.string().length(32),
    createdByName: p.string().length(200),
    createdAt: p.datetime(3).defaultRaw('now()'),
    appliedBy: p.string().length(32).nullable(),
    appliedReason: p.text().nullable(),
    appliedAt: p.datetime(3).nullable(),
    failureReason: p.text().nullable(),
    /** Whose files are promoted; null for other sources. */
    application: p.json<PromotedApplication>().columnType('json').nullable().lazy(),
    soak: p.json<Soak>().columnType('json').nullable(),
  },
});

export type Promotion = InferEntity<typeof PromotionEntity>;

const REQUEST_KINDS = ['validate', 'approve', 'reject', 'cancel', 'apply'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** What goes with a request; each kind takes its own keys. */
export interface RequestBody {
  readonly autoInclude?: boolean | undefined;
  readonly resolutions?: readonly Resolution[] | undefined;
  readonly comment?: string | undefined;
  /** The plan that was looked at. */
  readonly planHash?: string | undefined;
  readonly reason?: string | undefined;
  readonly consent?: readonly string[] | undefined;
  /** ISO 8601. */
  readonly applyAt?: string | undefined;
  readonly soak?: SoakOrder | undefined;
}

/**
 * What an authenticated person asked of a promotion. Temporal carries only its pid: without the row nothing
 * happens.
 */
export const PromotionRequestEntity = defineEntity({
  name: 'PromotionRequest',
  tableName: 'promotion_request',
  properties: {
    pid: p.string().length(32).primary(),
    promotionPid: p.string().length(32),
    kind: p.enum([...REQUEST_KINDS]).$type<RequestKind>(),
    userPid: p.string().length(32),
    username: p.string().length(200),
    body: p.json<RequestBody>().columnType('json'),
    traceId: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    handledAt: p.datetime(3).nullable(),
    error: p.json<StoredError>().columnType('json').nullable(),
  },
});

export type PromotionRequest = InferEntity<typeof PromotionRequestEntity>;

/** A person's approval of one plan; it does not count for another. */
export const PromotionApprovalEntity = defineEntity({
  name: 'PromotionApproval',
  tableName: 'promotion_approval',
  properties: {
    pid: p.string().length(32).primary(),
    promotionPid: p.string().length(32),
    planHash: p.string().length(64),
    userPid: p.string().length(32),
    username: p.string().length(200),
    comment: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type PromotionApproval = InferEntity<typeof PromotionApprovalEntity>;
