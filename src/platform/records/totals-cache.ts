import { hash } from 'node:crypto';
import { newPid } from '../../foundation/database/pid.ts';
import type { Prefetch } from '../auth/caller.ts';
import type { RedisCommand, RedisStore } from '../../foundation/redis/redis-store.ts';
import { CACHED_TOTAL_SECONDS } from './records.limits.ts';
import type { Logger } from '../../foundation/logging/logger.ts';
import type { Actor } from '../auth/requests/actor.ts';
import type { OutboxSignal } from '../events/outbox/outbox.ts';

/**
 * Exact totals that are counted once per change, not once per page. Every writer stamps the (environment,
 * tenant, model) after its commit and before its answer; a total is stored with the stamp that was read
 * before counting, and counts only while that stamp stands. A stamp is a fresh ULID, so it can never come
 * back after Redis has lost it.
 */
export class TotalsCache {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  /** Reads the stamp and the total under `question`, as a part of another round trip. */
  prefetch(scope: Scope, question: Question): Prefetch<CachedTotal> {
    return {
      commands: [
        ['get', stampKey(scope)],
        ['get', totalKey(scope, question)],
      ],
      read: ([stamp, stored]) => {
        const [storedStamp, total] = typeof stored === 'string' ? stored.split('|') : [];
        const known = typeof stamp === 'string' ? stamp : null;
        return {
          total: known !== null && storedStamp === known ? Number(total) : null,
          metadataVersion: question.metadataVersion,
          remember: (counted) => this.#remember(scope, question, known, counted),
        };
      },
    };
  }

  /** Stores a total that was counted after `stamp` was read. A lost one is counted again. */
  #remember(scope: Scope, question: Question, stamp: string | null, total: number): void {
    // Without a stamp nothing can be stored yet; setting one lets the next list store its total.
    const command: RedisCommand = stamp
      ? ['set', totalKey(scope, question), `${stamp}|${total}`, 'EX', CACHED_TOTAL_SECONDS]
      : ['set', stampKey(scope), newPid(), 'NX'];
    this.#store.pipeline([command]).catch(() => undefined);
  }

  /** Makes every total of these models stale. @throws SERVICE_UNAVAILABLE */
  async stamp(scopes: readonly Scope[]): Promise<void> {
    await this.#store.pipeline(scopes.map(stampCommand));
  }

  /** The stamps of models: one that has another than before was written. @throws SERVICE_UNAVAILABLE */
  async stampsOf(scopes: readonly Scope[]): Promise<(string | null)[]> {
    const replies = await this.#store.pipeline(scopes.map((scope) => ['get', stampKey(scope)] as const));
    return replies as (string | null)[];
  }

  /** The commands by which a writer makes every total of these models stale. */
  stampCommands(environment: string, tenantId: string, modelCodes: Iterable<string>): RedisCommand[] {
    return Array.from(modelCodes, (modelCode) => stampCommand({ environment, tenantId, modelCode }));
  }
}

/** What Redis knows of a list's total. */
export interface CachedTotal {
  /** Null: it has to be counted. */
  readonly total: number | null;
  /** The version of the metadata that the question was asked with. */
  readonly metadataVersion: number;
  remember(total: number): void;
}

export interface Scope {
  readonly environment: string;
  readonly tenantId: string;
  readonly modelCode: string;
}

/** Everything that decides a total beside the records themselves; the texts as the request has them. */
export interface Question {
  readonly metadataVersion: number;
  /** The key of a page with its own conditions; null for the model's other pages, which share totals. */
  readonly page: string | null;
  readonly keyword: unknown;
  readonly filters: unknown;
}

function stampCommand(scope: Scope): RedisCommand {
  return ['set', stampKey(scope), newPid()];
}

function stampKey({ environment, tenantId, modelCode }: Scope): string {
  return `keelson:stamp:${environment}:${tenantId}:${modelCode}`;
}

function totalKey({ environment, tenantId, modelCode }: Scope, question: Question): string {
  const { metadataVersion, page, keyword, filters } = question;
  const text = JSON.stringify([metadataVersion, page, keyword ?? '', filters ?? '']);
  return `keelson:total:${environment}:${tenantId}:${modelCode}:${hash('sha1', text, 'base64url')}`;
}

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
