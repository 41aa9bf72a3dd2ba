import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationError, unavailable } from '../errors/application-error.ts';
import { translate } from './failures.ts';
import type { PlatformOrm } from './orm.ts';

/** The one row that tells installations apart where they share a Redis database or a Temporal namespace. */
export const InstallationEntity = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  properties: {
    id: p.string().length(32).primary(),
    createdAt: p.datetime(3),
  },
});

/**
 * @throws SERVICE_UNAVAILABLE while Postgres is away; an error of Postgres before the database is migrated
 */
export async function readInstallationId(orm: PlatformOrm): Promise<string> {
  const { id } = await orm.em.fork().findOneOrFail(InstallationEntity, { id: { $ne: null } });
  return id;
}

/** Why `readInstallationId` failed at the start, in words for the operator. */
export async function problemOfInstallation(orm: PlatformOrm): Promise<ApplicationError> {
  const error = await readInstallationId(orm).then(() => null, translate);
  if (error === null || (error instanceof ApplicationError && error.code === 'SERVICE_UNAVAILABLE')) {
    return unavailable('postgres', error);
  }
  const message = 'the database is not migrated: run `npm run migrate`';
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, cause: error });
}
