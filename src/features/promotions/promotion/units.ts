import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { ResourceEntity } from '../../../platform/metadata/resources/resource.entity.ts';
import { versionsOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { storedResources } from '../../../platform/metadata/resources/stored-resources.ts';
import { ofApplication } from '../../../platform/metadata/resources/common-content.ts';
import { everyDifference, versionsIn } from './promotion-source.ts';
import type { Unit } from '../plan/state/promotion-plan.ts';

/** All that differs of an application. */
export interface OfApplication {
  readonly app: string;
}

/** The units that a new promotion names. @throws VALIDATION_ERROR */
export async function unitsBetween(
  em: PlatformEntityManager,
  source: Environment,
  target: Environment,
  units: readonly Unit[] | '*' | OfApplication,
): Promise<Unit[] | '*'> {
  if (units === '*') return units;
  if ('app' in units) return unitsOfApplication(em, source, target, units.app);
  await checkUnits(em, source, target, units);
  return [...units];
}

/**
 * Each unit must exist, under its type, on one of the two sides; a version must be one that the source has
 * had.
 */
async function checkUnits(
  em: PlatformEntityManager,
  source: Environment,
  target: Environment,
  units: readonly Unit[],
): Promise<void> {
  const errors: FieldErrors = {};
  const known = await em.find(
    ResourceEntity,
    { environment: { $in: [source.code, target.code] } },
    { fields: ['pid', 'resourceType'], disableIdentityMap: true },
  );
  const types = new Map(known.map(({ pid, resourceType }) => [pid, resourceType]));
  const versions = await versionsOf(em, source.code, versionsIn(units));
  for (const [index, { resourceType, resourcePid, version }] of units.entries()) {
    // A version may be of a resource that has been removed since.
    if ((types.get(resourcePid) ?? versions.get(resourcePid)?.resourceType) !== resourceType) {
      errors[`units.${index}.resourcePid`] = text('is not a {type} of {source} or {target}', {
        type: resourceType,
        source: source.code,
        target: target.code,
      });
    } else if (version !== undefined && !versions.has(resourcePid)) {
      errors[`units.${index}.version`] = text('is not a version that {environment} has had', {
        environment: source.code,
      });
    }
  }
  throwIfInvalid(errors);
}

/**
 * The differences in what an application has, or had before, on either side.
 * @throws VALIDATION_ERROR where there is none
 */
async function unitsOfApplication(
  em: PlatformEntityManager,
  { code: source }: Environment,
  { code: target }: Environment,
  app: string,
): Promise<Unit[]> {
  const own = ofApplication(await storedResources(em, [source, target]), app);
  const units = await everyDifference(
    own.filter(({ environment }) => environment === source),
    own.filter(({ environment }) => environment === target),
  );
  if (units.length > 0) return units;
  throw validationError({ app: text('has nothing that differs between {source} and {target}', { source, target }) });
}
