import type { Logger } from '../../foundation/logging/logger.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { OutboxSignal } from '../../platform/events/outbox/outbox-signal.ts';
import type { TotalsCache } from './totals-cache.ts';

/** Tells of records that were written, once their transaction has committed. */
export class WriteAnnouncer {
  readonly #totals: TotalsCache;
  readonly #outbox: OutboxSignal;
  readonly #logger: Logger;

  constructor(totals: TotalsCache, outbox: OutboxSignal, logger: Logger) {
    this.#totals = totals;
    this.#outbox = outbox;
    this.#logger = logger;
  }

  /** Never throws: to fail now would have it written twice. The events make the totals stale once more. */
  async announce({ metadata, tenantId }: Actor, modelCodes: Iterable<string>): Promise<void> {
    const { environment } = metadata;
    const scopes = [...new Set(modelCodes)].map((modelCode) => ({ environment, tenantId, modelCode }));
    await this.#totals.stamp(scopes).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'totals become stale when the events of a write are relayed');
    });
    this.#outbox.notify(true);
  }
}
