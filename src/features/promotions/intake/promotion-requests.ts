import { Type } from 'typebox';
import { REASON, REMARK } from '../../../platform/audit/reason.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { ISO_DATETIME, storable } from '../../../foundation/validation/formats.ts';
import {
  BOOLEAN,
  described,
  integer,
  list,
  object,
  oneOf,
  openObject,
  withMessage,
  withDefault,
  type Static,
  VERSION,
} from '../../../foundation/validation/schema.ts';
import { APPLICATION_NAME_PATTERN } from '../../../platform/metadata/resources/common-content.ts';
import { RESOURCE_TYPE } from '../../../platform/metadata/resources/resource-type-names.ts';
import { CHOICES } from '../plan/conflicts/conflict-type.ts';
import { CONFLICT_TYPE_NAMES, CONFLICT_TYPES } from '../plan/conflicts/conflict-types.ts';
import type { OfApplication } from '../promotion/units.ts';
import type { Unit } from '../plan/state/promotion-plan.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { MAX_UNITS, SOAK_DEFAULTS, SOAK_LIMITS } from '../promotions.limits.ts';

const MAX_ENVIRONMENT_ID = 2 ** 31 - 1;

export const ENVIRONMENT_ID = withMessage('must be the numeric id of an environment', integer(0, MAX_ENVIRONMENT_ID));
const RESOURCE_PID = storable();
export const CONSENT = withMessage('must be an array of resource pids', list(RESOURCE_PID));
const UNIT = openObject({ resourceType: RESOURCE_TYPE, resourcePid: RESOURCE_PID }, { version: VERSION });
const RESOLUTION = openObject({
  resourcePid: RESOURCE_PID,
  type: oneOf(CONFLICT_TYPE_NAMES),
  resolution: oneOf(CHOICES),
});
const SOAK = object(
  { seconds: integer(...SOAK_LIMITS.seconds) },
  {
    maxErrorRate: withDefault(SOAK_DEFAULTS.maxErrorRate, Type.Number({ minimum: 0, maximum: 1 })),
    minCommands: withDefault(SOAK_DEFAULTS.minCommands, integer(...SOAK_LIMITS.minCommands)),
  },
);

/** Stands for every difference. */
const EVERYTHING = Type.Unsafe<'*'>({ const: '*' });
const UNITS_WANTED = text('must be an array of 1 to {max} units, or "*" for every difference', { max: MAX_UNITS });
export const NEW_PROMOTION_BODY = openObject(
  { sourceEnvId: ENVIRONMENT_ID, targetEnvId: ENVIRONMENT_ID },
  {
    units: withMessage(UNITS_WANTED, Type.Union([list(UNIT, { minItems: 1, maxItems: MAX_UNITS }), EVERYTHING])),
    /** In place of units: every difference in the resources of this application. */
    app: storable({ pattern: APPLICATION_NAME_PATTERN }),
  },
);
export const VALIDATE_BODY = openObject({}, { autoInclude: BOOLEAN, resolutions: list(RESOLUTION) });
/** Of the plan that was looked at: with another one nothing happens. */
const PLAN_HASH = described('`plan.hash` as it was seen; 409 `STALE_PLAN` if another plan is there', storable());
export const APPROVE_BODY = openObject({}, { comment: REMARK, planHash: PLAN_HASH });
export const APPLY_BODY = openObject(
  { reason: REASON },
  { consent: CONSENT, applyAt: ISO_DATETIME, soak: SOAK, planHash: PLAN_HASH },
);
export type NewPromotion = Static<typeof NEW_PROMOTION_BODY>;

export function checkResolutions(
  { resolutions = [] }: Partial<Static<typeof VALIDATE_BODY>>,
  errors: FieldErrors,
): void {
  for (const [index, { type, resolution }] of resolutions.entries()) {
    const choices = CONFLICT_TYPES[type].resolutions;
    if (choices.includes(resolution)) continue;
    const problem =
      choices.length > 0 ? text('must be one of {values}', { values: choices.join(', ') }) : 'is not possible here';
    errors[`resolutions.${index}.resolution`] = problem;
  }
}

/** Units are named once, or an application in their place. */
export function checkUnits({ units, app }: Partial<NewPromotion>, errors: FieldErrors): void {
  // Units that are wrong are left out of what is checked here.
  const isWrong = Object.keys(errors).some((path) => path === 'units' || path.startsWith('units.'));
  if (units === undefined && app === undefined && !isWrong) errors.units = UNITS_WANTED;
  if (units !== undefined && app !== undefined) errors.app = 'goes without units';
  const seen = new Set<string>();
  for (const [index, { resourcePid }] of Array.isArray(units) ? units.entries() : []) {
    if (seen.has(resourcePid)) errors[`units.${index}.resourcePid`] = 'is named twice';
    seen.add(resourcePid);
  }
}

/** The units of a good body, without what else was sent with them. */
export function unitsOf({ units = [], app }: Pick<NewPromotion, 'units' | 'app'>): Unit[] | '*' | OfApplication {
  if (app !== undefined) return { app };
  if (units === '*') return units;
  return units.map(({ resourceType, resourcePid, version }) => ({
    resourceType,
    resourcePid,
    ...(version !== undefined && { version }),
  }));
}
