import { REASON, REASON_BODY, REMARK, type Reasoned } from '../audit/reason.ts';
import type { FieldErrors } from '../errors/application-error.ts';
import { MOMENT, storable } from '../http/formats.ts';
import type { Rules } from '../http/read-request.ts';
import { BOOLEAN, integer, list, object, oneOf, openObject, saying, type Schema } from '../http/schema.ts';
import { RESOURCE_TYPES } from '../metadata/content.ts';
import { CONFLICT_TYPES, type Resolution } from './conflict.ts';
import type { RequestKind, Unit } from './promotion.entity.ts';
import type { NewPromotion } from './promotions.service.ts';
import { SOAK_DEFAULTS, SOAK_LIMITS, type SoakOrder } from './soak.ts';

const MAX_UNITS = 1_000;
const MAX_ENVIRONMENT_ID = 2 ** 31 - 1;
export const CHOICES = ['use_source', 'keep_target', 'skip'];

export const ENVIRONMENT_ID = saying('must be the numeric id of an environment', integer(0, MAX_ENVIRONMENT_ID));
const RESOURCE_PID = storable();
export const CONSENT = saying('must be an array of resource pids', list(RESOURCE_PID));
const UNIT = openObject({ resourceType: oneOf(RESOURCE_TYPES), resourcePid: RESOURCE_PID }, { version: integer(1) });
const RESOLUTION = openObject({
  resourcePid: RESOURCE_PID,
  type: oneOf(Object.keys(CONFLICT_TYPES)),
  resolution: oneOf(CHOICES),
});
const SOAK = object(
  { seconds: integer(...SOAK_LIMITS.seconds) },
  {
    maxErrorRate: { type: 'number', minimum: 0, maximum: 1, default: SOAK_DEFAULTS.maxErrorRate },
    minCommands: { ...integer(...SOAK_LIMITS.minCommands), default: SOAK_DEFAULTS.minCommands },
  },
);

export const NEW_PROMOTION_BODY = openObject({
  sourceEnvId: ENVIRONMENT_ID,
  targetEnvId: ENVIRONMENT_ID,
  units: saying(`must be an array of 1 to ${MAX_UNITS} units, or "*" for every difference`, {
    anyOf: [list(UNIT, { minItems: 1, maxItems: MAX_UNITS }), { const: '*' }],
  }),
});
/** What each request takes from its body. */
export const REQUEST_BODIES: Readonly<Record<RequestKind, Schema>> = {
  validate: openObject({}, { autoInclude: BOOLEAN, resolutions: list(RESOLUTION) }),
  approve: openObject({}, { comment: REMARK }),
  reject: REASON_BODY,
  cancel: openObject({}, { reason: REMARK }),
  apply: openObject({ reason: REASON }, { consent: CONSENT, applyAt: MOMENT, soak: SOAK }),
};

/** A body that keeps the schema of its kind. */
export interface RequestBodies {
  readonly validate: { readonly autoInclude?: boolean; readonly resolutions?: readonly Resolution[] };
  readonly approve: { readonly comment?: string | null };
  readonly reject: Reasoned;
  readonly cancel: { readonly reason?: string | null };
  readonly apply: Reasoned & {
    readonly consent?: readonly string[];
    readonly applyAt?: string;
    readonly soak?: SoakOrder;
  };
}

/** What is kept of a body: what nobody has asked for is not. */
export const KEPT: { readonly [K in RequestKind]: (body: RequestBodies[K]) => Record<string, unknown> } = {
  validate: ({ autoInclude, resolutions }) => ({
    ...(autoInclude !== undefined && { autoInclude }),
    ...(resolutions && {
      resolutions: resolutions.map(({ resourcePid, type, resolution }) => ({ resourcePid, type, resolution })),
    }),
  }),
  approve: ({ comment }) => ({ comment: comment ?? undefined }),
  reject: ({ reason }) => ({ reason }),
  cancel: ({ reason }) => ({ reason: reason ?? undefined }),
  apply: ({ reason, consent, applyAt, soak }) => ({
    ...(consent && { consent }),
    ...(applyAt !== undefined && { applyAt: new Date(applyAt).toISOString() }),
    ...(soak && { soak }),
    reason,
  }),
};

/** What a body must keep beside its schema. */
export const RULES: { readonly [K in RequestKind]?: Rules<RequestBodies[K]> } = { validate: onlyPossible };

function onlyPossible({ resolutions = [] }: RequestBodies['validate'], errors: FieldErrors): void {
  for (const [index, { type, resolution }] of resolutions.entries()) {
    const choices: readonly string[] = CONFLICT_TYPES[type].resolutions;
    if (choices.includes(resolution)) continue;
    const problem = choices.length > 0 ? `must be one of ${choices.join(', ')}` : 'is not possible here';
    errors[`resolutions.${index}.resolution`] = problem;
  }
}

export const newPromotionRules: Rules<NewPromotion> = ({ units = [] }, errors) => {
  const seen = new Set<string>();
  for (const [index, { resourcePid }] of units === '*' ? [] : units.entries()) {
    if (seen.has(resourcePid)) errors[`units.${index}.resourcePid`] = 'is named twice';
    seen.add(resourcePid);
  }
};

/** The units of a good body, without what else was sent with them. */
export function unitsOf({ units }: Pick<NewPromotion, 'units'>): Unit[] | '*' {
  if (units === '*') return units;
  return units.map(({ resourceType, resourcePid, version }) => ({
    ...{ resourceType, resourcePid },
    ...(version !== undefined && { version }),
  }));
}
