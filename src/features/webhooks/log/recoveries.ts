import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { RecoveryEntity, type Recovery } from '../deliveries/delivery.entity.ts';
import { requireSubscription } from './delivery-log.ts';
import { MAX_LISTED_RECOVERIES } from '../webhooks.limits.ts';

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

/** Shows how far recoveries have come. */
export class Recoveries {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /** Newest first. @throws NOT_FOUND */
  async list(actor: Actor, subscriptionPid: string): Promise<RecoveryProgress[]> {
    const em = this.#orm.em.fork();
    await requireSubscription(em, actor, subscriptionPid);
    const where = { subscriptionPid, ...ownedBy(actor) };
    const found = await em.find(RecoveryEntity, where, { orderBy: { pid: 'desc' }, limit: MAX_LISTED_RECOVERIES });
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
