import { isStorable, REASON_TEXT } from '../audit/reason.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../errors/application-error.ts';
import { BOOLEAN, integer, list, MAP, nullable, object, oneOf, text, type Schema } from '../http/schema.ts';
import { RESOURCE_TYPES, type ResourceType } from '../metadata/content.ts';
import { CONFLICT_TYPES, type ConflictType, type Resolution } from './conflict.ts';
import type { RequestKind, Unit } from './promotion.entity.ts';
import type { NewPromotion } from './promotions.service.ts';
import { SOAK_DEFAULTS, SOAK_LIMITS, type SoakOrder } from './soak.ts';

type Body = Readonly<Record<string, unknown>>;

const MAX_UNITS = 1_000;
const MAX_REMARK = 2_000;
export const CHOICES = ['use_source', 'keep_target', 'skip'];

/** An object in which unknown keys are ignored. */
const open = (properties: Readonly<Record<string, Schema>>, ...required: string[]): Schema => ({
  ...MAP,
  properties,
  required,
});
const REMARK = nullable(text({ maxLength: MAX_REMARK }));
const RESOURCE_PID = { type: 'string' } as const;
export const CONSENT = list(RESOURCE_PID);
const UNITS = list(
  open(
    { resourceType: oneOf(RESOURCE_TYPES), resourcePid: RESOURCE_PID, version: integer(1) },
    'resourceType',
    'resourcePid',
  ),
  { minItems: 1, maxItems: MAX_UNITS },
);
const RESOLUTION = open(
  { resourcePid: RESOURCE_PID, type: oneOf(Object.keys(CONFLICT_TYPES)), resolution: oneOf(CHOICES) },
  ...['resourcePid', 'type', 'resolution'],
);
const [leastSeconds, mostSeconds] = SOAK_LIMITS.seconds;
const [leastCommands, mostCommands] = SOAK_LIMITS.minCommands;
const SOAK = object(
  { seconds: integer(leastSeconds, mostSeconds) },
  {
    maxErrorRate: { type: 'number', minimum: 0, maximum: 1, default: SOAK_DEFAULTS.maxErrorRate },
    minCommands: { ...integer(leastCommands, mostCommands), default: SOAK_DEFAULTS.minCommands },
  },
);

export const NEW_PROMOTION_BODY = open(
  { sourceEnvId: integer(), targetEnvId: integer(), units: { anyOf: [UNITS, { const: '*' }] } },
  ...['sourceEnvId', 'targetEnvId', 'units'],
);
/** What each request takes from its body. */
export const REQUEST_BODIES: Readonly<Record<RequestKind, Schema>> = {
  validate: open({ autoInclude: BOOLEAN, resolutions: list(RESOLUTION) }),
  approve: open({ comment: REMARK }),
  reject: open({ reason: REASON_TEXT }, 'reason'),
  cancel: open({ reason: REMARK }),
  apply: open({ reason: REASON_TEXT, consent: CONSENT, applyAt: { type: 'string' }, soak: SOAK }, 'reason'),
};

/** The body of a create. @throws VALIDATION_ERROR with everything that is wrong */
export function parseNewPromotion({ sourceEnvId, targetEnvId, units }: Body): NewPromotion {
  const errors: FieldErrors = {};
  for (const [name, id] of Object.entries({ sourceEnvId, targetEnvId })) {
    if (id === undefined) errors[name] = 'is required';
    else if (!Number.isInteger(id)) errors[name] = 'must be the numeric id of an environment';
  }
  const parsed = parseUnits(units, errors);
  throwIfInvalid(errors);
  return { sourceEnvId: sourceEnvId as number, targetEnvId: targetEnvId as number, units: parsed };
}

function parseUnits(units: unknown, errors: FieldErrors): Unit[] | '*' {
  if (units === '*') return '*';
  if (!Array.isArray(units) || units.length === 0 || units.length > MAX_UNITS) {
    errors.units = `must be an array of 1 to ${MAX_UNITS} units, or "*" for every difference`;
    return [];
  }
  const seen = new Set<string>();
  return units.map((unit: unknown, index) => {
    const { resourceType, resourcePid, version } = (unit ?? {}) as Record<string, unknown>;
    if (!RESOURCE_TYPES.includes(resourceType as ResourceType)) {
      errors[`units.${index}.resourceType`] = `must be one of ${RESOURCE_TYPES.join(', ')}`;
    }
    if (typeof resourcePid !== 'string') errors[`units.${index}.resourcePid`] = 'is required';
    else if (seen.has(resourcePid)) errors[`units.${index}.resourcePid`] = 'is named twice';
    else seen.add(resourcePid);
    if (version !== undefined && !(Number.isInteger(version) && (version as number) > 0)) {
      errors[`units.${index}.version`] = 'must be a whole number from 1';
    }
    const named = { resourceType: resourceType as ResourceType, resourcePid: resourcePid as string };
    return version === undefined ? named : { ...named, version: version as number };
  });
}

/** The body of a validate: nothing, or `{autoInclude, resolutions}`. */
export function parseValidation({ autoInclude, resolutions }: Body): {
  autoInclude?: boolean;
  resolutions?: Resolution[];
} {
  const errors: FieldErrors = {};
  if (autoInclude !== undefined && typeof autoInclude !== 'boolean') errors.autoInclude = 'must be true or false';
  if (resolutions !== undefined && !Array.isArray(resolutions)) errors.resolutions = 'must be an array';
  const parsed = Array.isArray(resolutions)
    ? resolutions.map((one, index) => parseResolution(one, index, errors))
    : null;
  throwIfInvalid(errors);
  return {
    ...(autoInclude !== undefined && { autoInclude: autoInclude as boolean }),
    ...(parsed && { resolutions: parsed }),
  };
}

function parseResolution(given: unknown, index: number, errors: FieldErrors): Resolution {
  const { resourcePid, type, resolution } = (given ?? {}) as Record<string, unknown>;
  const at = `resolutions.${index}`;
  if (typeof resourcePid !== 'string') errors[`${at}.resourcePid`] = 'is required';
  const known = typeof type === 'string' && Object.hasOwn(CONFLICT_TYPES, type);
  if (!known) errors[`${at}.type`] = `must be one of ${Object.keys(CONFLICT_TYPES).join(', ')}`;
  const choices: readonly unknown[] = known ? CONFLICT_TYPES[type as ConflictType].resolutions : CHOICES;
  if (!choices.includes(resolution)) {
    errors[`${at}.resolution`] = choices.length > 0 ? `must be one of ${choices.join(', ')}` : 'is not possible here';
  }
  return { resourcePid, type, resolution } as Resolution;
}

/** What an apply may carry beside its reason. */
export function parseApply(body: Body): { consent?: string[]; applyAt?: string; soak?: SoakOrder } {
  const { consent, applyAt, soak } = body;
  const errors: FieldErrors = {};
  const pids = parseConsent(consent, errors);
  const time = typeof applyAt === 'string' ? Date.parse(applyAt) : Number.NaN;
  if (applyAt !== undefined && Number.isNaN(time)) errors.applyAt = 'must be an ISO 8601 time';
  const watch = soak === undefined ? undefined : parseSoak(soak, errors);
  throwIfInvalid(errors);
  return {
    ...(pids && { consent: pids }),
    ...(applyAt !== undefined && { applyAt: new Date(time).toISOString() }),
    ...(watch && { soak: watch }),
  };
}

function parseSoak(given: unknown, errors: FieldErrors): SoakOrder | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    errors.soak = 'must be an object with seconds';
    return undefined;
  }
  const order = { ...SOAK_DEFAULTS, ...(given as Partial<SoakOrder>) };
  for (const [name, [least, most]] of Object.entries(SOAK_LIMITS)) {
    const value = order[name as keyof typeof SOAK_LIMITS];
    const fits = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    if (!fits) errors[`soak.${name}`] = `must be a whole number from ${least} to ${most}`;
  }
  const { seconds = 0, maxErrorRate, minCommands } = order;
  if (typeof maxErrorRate !== 'number' || !(maxErrorRate >= 0 && maxErrorRate <= 1)) {
    errors['soak.maxErrorRate'] = 'must be a number from 0 to 1';
  }
  for (const key of Object.keys(given)) {
    if (!['seconds', 'maxErrorRate', 'minCommands'].includes(key)) errors[`soak.${key}`] = 'is not known';
  }
  return { seconds, maxErrorRate, minCommands };
}

export function parseConsent(consent: unknown, errors: FieldErrors): string[] | undefined {
  if (consent === undefined) return undefined;
  if (Array.isArray(consent) && consent.every((pid) => typeof pid === 'string')) return consent;
  errors.consent = 'must be an array of resource pids';
  return undefined;
}

/** An optional remark of a person. @throws VALIDATION_ERROR at its name */
export function parseRemark(name: string, given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string' && given.length <= MAX_REMARK && isStorable(given)) return given;
  throw validationError({ [name]: `must be a text of at most ${MAX_REMARK} characters` });
}
