import type { Transaction } from '../../../foundation/database/pool.ts';
import { validationError } from '../../../foundation/errors/application-error.ts';
import { actorOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import { ADMIN } from '../../../platform/metadata/permissions/permissions.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { RecordService } from './records.service.ts';

/** What an operation takes behind the actor. */
type Given<K extends keyof RecordService> = RecordService[K] extends (actor: Actor, ...given: infer G) => unknown
  ? G
  : never;
type Id = string;

/**
 * Records for work that no user asks for, with a tenant in the place of an actor: it has the rights of an
 * ADMIN of the tenant, and writes as `system`. Rules without an exception bind it, too.
 * Spec: "background-worker variant".
 */
export function workerRecords(records: RecordService, snapshot: () => Promise<Snapshot>) {
  const as = async (tenantId: Id): Promise<Actor> => {
    if (!/^[1-9]\d{0,18}$/.test(tenantId)) throw validationError({ tenantId: 'is required' });
    const system = { userId: '0', userPid: 'system', username: 'system', tenantId, roles: [ADMIN] };
    return actorOf({ ...system, keyMadeBy: null }, await snapshot());
  };
  return {
    list: async (tenant: Id, ...given: Given<'list'>) => records.list(await as(tenant), ...given),
    getById: async (tenant: Id, ...given: Given<'getById'>) => records.getById(await as(tenant), ...given),
    aggregate: async (tenant: Id, ...given: Given<'aggregate'>) => records.aggregate(await as(tenant), ...given),
    stats: async (tenant: Id, ...given: Given<'stats'>) => records.stats(await as(tenant), ...given),
    export: async (tenant: Id, ...given: Given<'export'>) => records.export(await as(tenant), ...given),
    customQuery: async (tenant: Id, ...given: Given<'customQuery'>) => records.customQuery(await as(tenant), ...given),
    fieldOptions: async (tenant: Id, ...given: Given<'fieldOptions'>) =>
      records.fieldOptions(await as(tenant), ...given),
    getRelation: async (tenant: Id, ...given: Given<'getRelation'>) => records.getRelation(await as(tenant), ...given),
    validate: async (tenant: Id, ...given: Given<'validate'>) => records.validate(await as(tenant), ...given),
    ...workerWrites(records, as),
    /** The writes as parts of an open transaction, which has the tenant of the last of them afterwards. */
    within: (transaction: Transaction) => workerWrites(records.within(transaction), as),
  };
}

function workerWrites(records: RecordService, as: (tenant: Id) => Promise<Actor>) {
  return {
    create: async (tenant: Id, ...given: Given<'create'>) => records.create(await as(tenant), ...given),
    tryCreate: async (tenant: Id, ...given: Given<'tryCreate'>) => records.tryCreate(await as(tenant), ...given),
    update: async (tenant: Id, ...given: Given<'update'>) => records.update(await as(tenant), ...given),
    delete: async (tenant: Id, ...given: Given<'delete'>) => records.delete(await as(tenant), ...given),
    batchCreate: async (tenant: Id, ...given: Given<'batchCreate'>) => records.batchCreate(await as(tenant), ...given),
    batchUpdate: async (tenant: Id, ...given: Given<'batchUpdate'>) => records.batchUpdate(await as(tenant), ...given),
    batchDelete: async (tenant: Id, ...given: Given<'batchDelete'>) => records.batchDelete(await as(tenant), ...given),
    createRelation: async (tenant: Id, ...given: Given<'createRelation'>) =>
      records.createRelation(await as(tenant), ...given),
    removeRelation: async (tenant: Id, ...given: Given<'removeRelation'>) =>
      records.removeRelation(await as(tenant), ...given),
    saveWithRelations: async (tenant: Id, ...given: Given<'saveWithRelations'>) =>
      records.saveWithRelations(await as(tenant), ...given),
  };
}
