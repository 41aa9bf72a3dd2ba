import type { Actor } from '../auth/actor.ts';
import type { PlatformOrm } from '../database/orm.ts';
import type { SqlRunner } from '../database/pool.ts';
import { notFound } from '../errors/application-error.ts';
import { RecoveryEntity, type Recovery } from './delivery.entity.ts';

/** How many of a subscription's recoveries are listed: the newest. */
const LISTED = 100;

/** A recovery and how far it has come. */
export interface RecoveryProgress {
  readonly pid: string;
  readonly subscriptionPid: string;
  readonly since: Date;
  readonly until: Date;
  readonly status: 'RUNNING' | 'DONE' | 'CANCELLED';
  /** Deliveries to send again, counted when it began. */
  readonly total: number;
  readonly resent: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Tells how far recoveries have come. */
export class Recoveries {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /** Newest first. */
  async list(actor: Actor, subscriptionPid: string): Promise<RecoveryProgress[]> {
    const where = { subscriptionPid, ...ownedBy(actor) };
    const found = await this.#orm.em.fork().find(RecoveryEntity, where, { orderBy: { pid: 'desc' }, limit: LISTED });
    return found.map(present);
  }

  /** @throws NOT_FOUND */
  async get(actor: Actor, subscriptionPid: string, pid: string): Promise<RecoveryProgress> {
    const found = await this.#orm.em.fork().findOne(RecoveryEntity, { pid, subscriptionPid, ...ownedBy(actor) });
    if (!found) throw notFound('There is no such recovery');
    return present(found);
  }
}

function ownedBy({ tenantId, metadata }: Actor) {
  return { tenantId, environment: metadata.environment };
}

function present(recovery: Recovery): RecoveryProgress {
  const { pid, subscriptionPid, since, until, status, total, resent, createdBy, createdAt, finishedAt } = recovery;
  return {
    pid,
    subscriptionPid,
    since,
    until,
    status,
    total,
    resent,
    createdBy,
    createdAt,
    finishedAt: finishedAt ?? null,
  };
}

/** Recoveries that have been running for a while: those whose workflow exists refuse to be started again. */
export function unstartedRecoveries(
  runner: SqlRunner,
): Promise<{ pid: string; tenant_id: string; environment: string; subscription_pid: string }[]> {
  return runner.query(
    `select pid, tenant_id, environment, subscription_pid from platform.webhook_recovery
     where status = 'RUNNING' and created_at < now() - interval '10 seconds' limit 100`,
  );
}
