import { Type } from 'typebox';
import {
  described,
  oneOf,
  integer,
  named,
  object,
  PID,
  text,
  MAP,
  list,
  nullable,
  TIME,
  NUMBER,
  BOOLEAN,
  VERSION,
} from '../../../foundation/validation/schema.ts';
import { RESOURCE_TYPE } from '../../../platform/metadata/resources/resource-type-names.ts';
import { LOCK_MODES } from '../../../platform/metadata/models/tables/table-steps.ts';
import { CHOICES } from '../plan/conflicts/conflict-type.ts';
import { CONFLICT_TYPE_NAMES, CONFLICT_TYPES } from '../plan/conflicts/conflict-types.ts';
import { SOAK_STATUSES } from '../promotion/soak.ts';
import { PROMOTION_STATUSES } from '../promotion/promotion.entity.ts';
import { fromColumn, localized } from '../../../foundation/i18n/text.ts';
import type { PromotionDetails } from './promotions.service.ts';

const CHOICE = oneOf(CHOICES);
const CONFLICT_TYPE = oneOf(CONFLICT_TYPE_NAMES);

export const CONFLICT = named(
  'Conflict',
  object({
    type: CONFLICT_TYPE,
    severity: oneOf([...new Set(Object.values(CONFLICT_TYPES).map(({ severity }) => severity))]),
    resourceType: RESOURCE_TYPE,
    resourcePid: PID,
    code: text(),
    message: text(),
    details: MAP,
    resolutions: list(CHOICE),
    resolution: nullable(CHOICE),
  }),
);
/** What a plan does with a resource. */
const PLANNED_UNIT = {
  resourceType: RESOURCE_TYPE,
  pid: PID,
  code: text(),
  action: oneOf(['ADD', 'UPDATE', 'REMOVE']),
  sourceVersion: nullable(VERSION),
  targetVersion: nullable(VERSION),
};
/** The same, with what changes in the content, and the statements. */
export const PLANNED_CHANGE = {
  ...PLANNED_UNIT,
  patch: list({ ...MAP, description: 'RFC 6902' }),
  ddl: list(text()),
};
const PLAN = named(
  'Plan',
  object({
    hash: text(),
    sealedAt: TIME,
    items: list(
      object(
        {
          ...PLANNED_UNIT,
          contentHash: nullable(text()),
          ddl: list(text()),
        },
        { renamedFrom: text() },
      ),
    ),
  }),
);
const SOAK = object({
  seconds: integer(1),
  maxErrorRate: NUMBER,
  minCommands: integer(1),
  until: TIME,
  status: oneOf(SOAK_STATUSES),
  seen: nullable(object({ down: list(text()), commands: integer(0), failed: integer(0) }, { away: list(text()) })),
  /** When it was last looked at. */
  seenAt: nullable(TIME),
  unhealthyLooks: integer(0),
  rollbackPid: nullable(PID),
  reason: nullable(text()),
});
const UNIT = object({ resourceType: RESOURCE_TYPE, resourcePid: text() }, { version: VERSION });
export const PROMOTION_FIELDS = {
  pid: PID,
  source: described('The code of the source environment; null for an export or a rollback', nullable(text())),
  target: described('The code of the target environment', text()),
  sourceEnvId: nullable(integer()),
  targetEnvId: integer(),
  units: Type.Union([list(UNIT), Type.Literal('*')]),
  status: oneOf(PROMOTION_STATUSES),
  autoInclude: BOOLEAN,
  resolutions: list(object({ resourcePid: text(), type: CONFLICT_TYPE, resolution: CHOICE })),
  conflicts: list(CONFLICT),
  plan: nullable(PLAN),
  approvals: list(
    object({ pid: PID, userPid: PID, username: text(), comment: nullable(text()), valid: BOOLEAN, createdAt: TIME }),
  ),
  rollbackOf: nullable(PID),
  applyAt: nullable(TIME),
  createdBy: text(),
  createdByName: text(),
  createdAt: TIME,
  appliedBy: nullable(text()),
  appliedReason: nullable(text()),
  appliedAt: nullable(TIME),
  failureReason: nullable(text()),
  soak: nullable(SOAK),
};
export const PROMOTION = named('Promotion', object(PROMOTION_FIELDS));

const CHANGED = {
  resourceType: RESOURCE_TYPE,
  pid: PID,
  code: text(),
  action: oneOf(['ADD', 'UPDATE', 'REMOVE']),
  sourceVersion: nullable(VERSION),
  targetVersion: nullable(VERSION),
  inPlan: described('Whether the sealed plan has it', BOOLEAN),
  changedSince: described('Whether source or target differ from the sealed plan by now', BOOLEAN),
};
const RENAMED = { renamedFrom: text() };
export const PROMOTION_CHANGE = named('PromotionChange', object(CHANGED, RENAMED));
/** How a table follows its model. */
export const TABLE_PREVIEW = nullable(
  object({
    steps: list(object({ statement: text(), isLater: described('Built after the apply', BOOLEAN) })),
    lock: described('Of the table, during the apply', nullable(oneOf(LOCK_MODES))),
    rows: described('Of all tenants; null for a new table, and after the apply', nullable(integer(0))),
    isEstimate: BOOLEAN,
  }),
);
export const CHANGE_DETAILS = object(
  {
    ...CHANGED,
    before: nullable(MAP),
    after: nullable(MAP),
    table: TABLE_PREVIEW,
  },
  RENAMED,
);

/** A promotion as the API shows it. */
export function presentPromotion({ promotion, approvals, source, target }: PromotionDetails) {
  const { pid, sourceEnvId, targetEnvId, units, status, autoInclude, resolutions, conflicts, plan } = promotion;
  const { rollbackOf, applyAt, createdBy, createdByName, createdAt } = promotion;
  const { appliedBy, appliedReason, appliedAt, failureReason } = promotion;
  return {
    pid,
    source,
    target,
    sourceEnvId: sourceEnvId ?? null,
    targetEnvId,
    units,
    status,
    autoInclude,
    resolutions,
    conflicts: conflicts.map((conflict) => ({ ...conflict, message: localized(conflict.message) })),
    plan,
    approvals: approvals.map(({ pid: approvalPid, userPid, username, comment, planHash, createdAt: at }) => ({
      pid: approvalPid,
      userPid,
      username,
      comment,
      /** An approval of an earlier plan counts for nothing. */
      valid: planHash === plan?.hash,
      createdAt: at,
    })),
    rollbackOf,
    applyAt,
    createdBy,
    createdByName,
    createdAt,
    appliedBy,
    appliedReason,
    appliedAt,
    failureReason: fromColumn(failureReason),
    soak: promotion.soak ? { seenAt: null, ...promotion.soak, reason: localized(promotion.soak.reason) } : null,
  };
}
