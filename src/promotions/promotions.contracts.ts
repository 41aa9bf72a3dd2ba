import { ERROR_CATALOGUE } from '../errors/catalogue.ts';
import { GIVEN_SNAPSHOT } from '../environments/environment-snapshot.ts';
import { path as environmentPath } from '../environments/environments.contracts.ts';
import { REASON } from '../audit/reason.ts';
import type { Contract } from '../http/contract.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import {
  BOOLEAN,
  integer,
  list,
  MAP,
  named,
  nullable,
  NUMBER,
  object,
  oneOf,
  openObject,
  PID,
  text,
  TIME,
} from '../http/schema.ts';
import { RESOURCE_TYPES } from '../metadata/content.ts';
import { STREAM } from '../streams/stream-contract.ts';
import { CONFLICT_TYPES } from './conflict.ts';
import { CHOICES, CONSENT, ENVIRONMENT_ID, NEW_PROMOTION_BODY, REQUEST_BODIES } from './promotion-requests.ts';
import { PROMOTION_STATUSES, type RequestKind } from './promotion.entity.ts';
import { SOAK_STATUSES } from './soak.ts';

const tag = 'Promotions';
const path = { pid: PID };
/** A snapshot holds a whole environment. */
const MAX_IMPORT_BYTES = 32 * 1024 * 1024;

const RESOURCE_TYPE = oneOf(RESOURCE_TYPES);
const CHOICE = oneOf(CHOICES);
const CONFLICT_TYPE = oneOf(Object.keys(CONFLICT_TYPES));
const VERSION = integer(1);

const CONFLICT = named(
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
const PLAN = named(
  'Plan',
  object({
    hash: text(),
    sealedAt: TIME,
    items: list(
      object({
        resourceType: RESOURCE_TYPE,
        pid: PID,
        code: text(),
        action: oneOf(['ADD', 'UPDATE', 'REMOVE']),
        sourceVersion: nullable(VERSION),
        targetVersion: nullable(VERSION),
        contentHash: nullable(text()),
        ddl: list(text()),
      }),
    ),
  }),
);
const SOAK = object({
  seconds: integer(1),
  maxErrorRate: NUMBER,
  minCommands: integer(1),
  until: TIME,
  status: oneOf(SOAK_STATUSES),
  seen: nullable(object({ down: list(text()), commands: integer(0), failed: integer(0) })),
  unhealthyLooks: integer(0),
  rollbackPid: nullable(PID),
  reason: nullable(text()),
});
const UNIT = object({ resourceType: RESOURCE_TYPE, resourcePid: text() }, { version: VERSION });
const FIELDS = {
  pid: PID,
  sourceEnvId: nullable(integer()),
  targetEnvId: integer(),
  units: { anyOf: [list(UNIT), { const: '*' }] },
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
const PROMOTION = named('Promotion', object(FIELDS));
const TIMELINE = list({
  ...MAP,
  properties: {
    at: TIME,
    actor: object({ userPid: text(), username: text() }),
    action: text(),
    reason: nullable(text()),
    outcome: nullable(text()),
    error: nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text(), data: nullable(MAP) })),
  },
  required: ['at', 'actor', 'action', 'reason', 'outcome', 'error'],
});

export const listPromotions: Contract = {
  ...{ tag, summary: 'Promotions, newest first', data: pageOf(PROMOTION) },
  query: { ...PAGING_QUERY, status: oneOf(PROMOTION_STATUSES), targetEnvId: ENVIRONMENT_ID },
};
export const createPromotion: Contract = {
  ...{ tag, summary: 'Make a promotion: a DRAFT', body: NEW_PROMOTION_BODY, data: PROMOTION },
};
export const getPromotion: Contract = {
  ...{ tag, summary: 'One promotion, with what happened to it', path },
  data: object({ ...FIELDS, timeline: TIMELINE }),
};
export const streamPromotion: Contract = {
  ...{ tag, summary: 'A promotion, live: events `promotion`, then `end`', path },
  ...{ ...STREAM, errors: ['RATE_LIMITED'] },
};

const SUMMARIES: Readonly<Record<RequestKind, string>> = {
  validate: 'Plan it as a dry run; without open conflicts it becomes VALIDATED',
  approve: 'Agree to the plan',
  reject: 'Refuse it for good',
  cancel: 'Give it up',
  apply: 'Write it to the target, now or at a time',
};
export const requestOf = (kind: RequestKind): Contract => ({
  ...{ tag, summary: SUMMARIES[kind], path, body: REQUEST_BODIES[kind], data: PROMOTION },
  errors: ['CONFLICT', 'PROMOTION_STATE', 'STALE_PLAN', 'FOUR_EYES_REQUIRED'],
});
export const rollBack: Contract = {
  ...{ tag, summary: 'Make the inverse of an applied promotion, as a promotion of its own', path },
  ...{ data: PROMOTION, errors: ['PROMOTION_STATE', 'CONFLICT'] },
};
export const importSnapshot: Contract = {
  ...{ tag, summary: 'Make an environment what a snapshot says', path: environmentPath },
  body: openObject(GIVEN_SNAPSHOT, { reason: REASON, consent: { ...CONSENT, default: [] } }),
  maxBodyBytes: MAX_IMPORT_BYTES,
  ...{ data: PROMOTION, accepted: PROMOTION },
  errors: ['PROMOTION_CONFLICT', 'CONFLICT', 'PROMOTION_STATE', 'STALE_PLAN', 'FOUR_EYES_REQUIRED'],
};
