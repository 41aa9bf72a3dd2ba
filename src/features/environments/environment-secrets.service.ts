import { LockMode } from '@mikro-orm/core';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { usernameOf, usernamesOf } from '../../platform/auth/accounts/usernames.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { conflict, notFound } from '../../foundation/errors/application-error.ts';
import type { Environment } from '../../platform/metadata/environments/environment.entity.ts';
import { ResourceEntity } from '../../platform/metadata/resources/resource.entity.ts';
import type { ResourceTypes } from '../../platform/metadata/resources/resource-types.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { contextOf, EnvironmentSecretEntity, type EnvironmentSecret } from './environment-secret.entity.ts';
import { findEnvironment } from './environments.service.ts';

/** A secret as it is shown, with the name of who has set it: null for a service account. */
export type ShownSecret = Pick<EnvironmentSecret, 'name' | 'updatedAt' | 'updatedBy'> & {
  readonly updatedByName: string | null;
};

/** The secrets of environments: written by people, read by the program alone. */
export class EnvironmentSecrets {
  readonly #orm: PlatformOrm;
  readonly #box: SecretBox;
  readonly #types: ResourceTypes;

  constructor(orm: PlatformOrm, box: SecretBox, types: ResourceTypes) {
    this.#orm = orm;
    this.#box = box;
    this.#types = types;
  }

  /** By name, without values. @throws NOT_FOUND */
  async list(pidOrCode: string): Promise<ShownSecret[]> {
    const em = this.#orm.em.fork();
    const { code } = await findEnvironment(em, pidOrCode);
    const secrets = await em.find(EnvironmentSecretEntity, { environment: code }, { orderBy: { name: 'asc' } });
    const nameOf = await usernamesOf(
      em,
      secrets.map(({ updatedBy }) => updatedBy),
    );
    return secrets.map((secret) => ({ ...secret, updatedByName: nameOf(secret.updatedBy) }));
  }

  /** Sets a secret or exchanges its value. @throws NOT_FOUND */
  async set(actor: Actor, pidOrCode: string, name: string, value: string): Promise<ShownSecret> {
    return this.#orm.em.fork().transactional(async (em) => {
      const environment = await findEnvironment(em, pidOrCode, LockMode.PESSIMISTIC_WRITE);
      const { code } = environment;
      const stamp = { updatedBy: actor.userPid, updatedAt: new Date() };
      const sealed = this.#box.seal(value, contextOf({ environment: code, name }));
      const known = await em.findOne(EnvironmentSecretEntity, { environment: code, name });
      const secret = known
        ? em.assign(known, { sealed, ...stamp })
        : em.create(EnvironmentSecretEntity, { environment: code, name, sealed, ...stamp });
      await audit(em, actor, environment, 'environment.secret.set', name);
      return { ...secret, updatedByName: await usernameOf(em, actor.userPid) };
    });
  }

  /** @throws NOT_FOUND; CONFLICT (REFERENCE) while a resource of the environment needs it */
  async remove(actor: Actor, pidOrCode: string, name: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      // Nothing that needs it can be applied meanwhile.
      const environment = await findEnvironment(em, pidOrCode, LockMode.PESSIMISTIC_WRITE);
      const secret = await em.findOne(EnvironmentSecretEntity, { environment: environment.code, name });
      if (!secret) throw notFound('There is no such secret');
      const resourceType = { $in: this.#types.namesWithSecrets };
      const resources = await em.find(ResourceEntity, { environment: environment.code, resourceType });
      const needing = resources.filter((resource) => this.#types.secretsOf(resource).includes(name));
      if (needing.length > 0) {
        const named = needing.map(({ resourceType, pid, code }) => ({ resourceType, resourcePid: pid, code }));
        throw conflict('REFERENCE', 'Resources of the environment need it', { resources: named });
      }
      em.remove(secret);
      await audit(em, actor, environment, 'environment.secret.delete', name);
    });
  }

  /**
   * The values of those of these secrets that the environment has: for the one call that needs them, never to
   * be kept.
   * @throws SecretUnreadableError
   */
  async open(environment: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    const secrets = await this.#orm.em.fork().find(EnvironmentSecretEntity, { environment, name: { $in: [...names] } });
    return new Map(secrets.map((secret) => [secret.name, this.#box.open(secret.sealed, contextOf(secret))]));
  }
}

/** The names of an environment's secrets. */
export async function secretNamesOf(em: PlatformEntityManager, environment: string): Promise<ReadonlySet<string>> {
  const secrets = await em.find(EnvironmentSecretEntity, { environment }, { fields: ['name'] });
  return new Set(secrets.map(({ name }) => name));
}

async function audit(
  em: PlatformEntityManager,
  actor: Actor,
  { pid, code }: Environment,
  action: 'environment.secret.set' | 'environment.secret.delete',
  name: string,
): Promise<void> {
  const target = { targetType: 'environment', targetPid: pid, environment: code } as const;
  await appendAudit(em, { actor, action, ...target, after: { name } });
}
