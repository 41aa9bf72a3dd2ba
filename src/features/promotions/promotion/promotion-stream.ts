import { setTimeout as sleep } from 'node:timers/promises';
import { AuditEntryEntity, type AuditEntry } from '../../../platform/audit/audit-entry.entity.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { END, streamKey } from '../../../platform/streams/stream-entry.ts';
import type { StreamEvent, StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { PromotionEntity, type Promotion, type PromotionStatus } from './promotion.entity.ts';
import type { Soak } from './soak.ts';
import { STREAM_LOOK_EVERY_MS } from '../promotions.limits.ts';

const ENDED: ReadonlySet<PromotionStatus> = new Set(['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED']);

/**
 * The streams of promotions: an event for each entry that the audit trail has of one. The trail is the truth,
 * and each event has its entry's pid, so bringing a stream up to date writes only what is missing.
 */
export class PromotionStreams {
  readonly #orm: PlatformOrm;
  readonly #writer: StreamWriter;
  readonly #logger: Logger;

  constructor(orm: PlatformOrm, writer: StreamWriter, logger: Logger) {
    this.#orm = orm;
    this.#writer = writer;
    this.#logger = logger;
  }

  /**
   * Tells the watchers of a promotion that it has changed. What cannot be sent now is sent at the next look.
   */
  async announce(promotionPid: string): Promise<void> {
    await this.#bringUpToDate(promotionPid);
  }

  /** Keeps a promotion's stream up to date until it has ended, or the signal is given. */
  async follow(promotionPid: string, signal: AbortSignal): Promise<void> {
    while (!(await this.#bringUpToDate(promotionPid)) && !signal.aborted) {
      await sleep(STREAM_LOOK_EVERY_MS, null, { signal }).catch(() => null);
    }
  }

  /** True when the promotion has ended. */
  async #bringUpToDate(pid: string): Promise<boolean> {
    try {
      const em = this.#orm.em.fork();
      // The promotion first: what it says has its entries in the trail already.
      const promotion = await em.findOne(PromotionEntity, { pid });
      if (!promotion) return true;
      const entries = await em.find(AuditEntryEntity, { targetPid: pid }, { orderBy: { id: 'asc' } });
      const events = entries.map((entry) => eventOf(pid, entry));
      if (promotion.soak?.seenAt) events.push(soakEvent(pid, promotion.soak));
      // An applied one that is watched may still be rolled back.
      const hasEnded = ENDED.has(promotion.status) && !isWatched(promotion);
      if (hasEnded) events.push({ event: END, data: { pid, status: promotion.status } });
      if (events.length > 0) await this.#writer.append(streamKey('promotion', pid), ...events);
      return hasEnded;
    } catch (error) {
      this.#logger.debug({ err: error, promotionPid: pid }, 'a promotion could not be announced');
      return false;
    }
  }
}

/** What the newest look at a watched promotion has seen. */
function soakEvent(pid: string, { status, seen, seenAt, until }: Soak): StreamEvent {
  return { event: 'soak', data: { pid, status, seen, seenAt, until }, dedupeId: `soak ${seenAt ?? ''} ${status}` };
}

function isWatched({ soak }: Promotion): boolean {
  return soak?.status === 'WATCHING' || soak?.status === 'ROLLING_BACK';
}

function eventOf(pid: string, { pid: entryPid, at, actor, action, reason, after }: AuditEntry): StreamEvent {
  const { status = 'DRAFT' } = (after ?? {}) as { status?: PromotionStatus };
  return {
    event: 'promotion',
    data: { pid, status, change: { at, actor, action, reason: reason ?? null } },
    dedupeId: entryPid,
  };
}
