import type { Transaction } from '../../../foundation/database/pool.ts';
import { validationError } from '../../../foundation/errors/application-error.ts';
import { actorOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import { ADMIN } from '../../../platform/metadata/permissions/permissions.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { RecordService } from '../records.service.ts';
import { WithinTransaction } from './record-transactions.ts';
import { RecordWrites } from './record-writes.ts';

const READS = [
  ...(['list', 'getById', 'aggregate', 'stats', 'export'] as const),
  ...(['customQuery', 'fieldOptions', 'getRelation', 'validate'] as const),
];
const WRITES = [
  ...(['create', 'tryCreate', 'update', 'delete', 'batchCreate', 'batchUpdate', 'batchDelete'] as const),
  ...(['createRelation', 'removeRelation', 'saveWithRelations'] as const),
];

type Operation<F> = F extends (actor: Actor, ...rest: infer A) => Promise<infer R>
  ? (tenantId: string, ...rest: A) => Promise<R>
  : never;

type WorkerReads = { readonly [K in (typeof READS)[number]]: Operation<RecordService[K]> };
type WorkerWrites = { readonly [K in (typeof WRITES)[number]]: Operation<RecordWrites[K]> };

/** The operations of the door with a tenant in the place of an actor. */
export interface WorkerRecords extends WorkerReads, WorkerWrites {
  /** The writes as parts of an open transaction, which has the tenant of the last of them afterwards. */
  within(transaction: Transaction): WorkerWrites;
}

/**
 * Records for work that no user asks for: it has the rights of an ADMIN of the tenant, and writes as
 * `system`. Rules without an exception bind it, too. Spec: "background-worker variant".
 */
export function workerRecords(records: RecordService, snapshot: () => Promise<Snapshot>): WorkerRecords {
  const actorFor = async (tenantId: string): Promise<Actor> => {
    if (!/^[1-9]\d{0,18}$/.test(tenantId)) throw validationError({ tenantId: 'is required' });
    const system = { userId: '0', userPid: 'system', username: 'system', tenantId, roles: [ADMIN] };
    return actorOf({ ...system, keyMadeBy: null }, await snapshot());
  };
  return {
    ...withTenants<WorkerReads>(READS, records, actorFor),
    ...withTenants<WorkerWrites>(WRITES, records, actorFor),
    within: (transaction) =>
      withTenants<WorkerWrites>(WRITES, new RecordWrites(new WithinTransaction(transaction)), actorFor),
  };
}

function withTenants<T>(names: readonly (keyof T)[], on: object, actorFor: (tenantId: string) => Promise<Actor>): T {
  const operations = names.map((name) => [
    name,
    async (tenantId: string, ...rest: unknown[]): Promise<unknown> => {
      const operation = Reflect.get(on, name) as (actor: Actor, ...rest: unknown[]) => unknown;
      return operation.call(on, await actorFor(tenantId), ...rest);
    },
  ]);
  return Object.fromEntries(operations) as T;
}
