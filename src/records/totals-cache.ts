import { createHash } from 'node:crypto';
import { newPid } from '../database/pid.ts';
import type { RedisCommand, SharedStore } from '../redis/redis.ts';

/** How long an unused total is kept; also the longest a total could outlive a write whose stamp was lost. */
const TTL_SECONDS = 300;

/**
 * Exact totals that are counted once per change, not once per page. Every writer stamps the (environment, tenant,
 * model) after its commit and before its answer; a total is stored with the stamp that was read before counting, and
 * counts only while that stamp stands. A stamp is a fresh ULID, so it can never come back after Redis has lost it.
 */
export class TotalsCache {
  readonly #store: SharedStore;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  /** The two reads of a list: the current stamp and the total under `question`. `read` takes their replies. */
  readCommands(scope: Scope, question: Question): [RedisCommand, RedisCommand] {
    return [
      ['get', stampKey(scope)],
      ['get', totalKey(scope, question)],
    ];
  }

  /** The cached total where it still holds; else null with what `remember` needs. */
  read([stamp, cached]: readonly unknown[]): { total: number | null; stamp: string | null } {
    if (typeof stamp !== 'string') return { total: null, stamp: null };
    const [storedStamp, total] = typeof cached === 'string' ? cached.split('|') : [];
    return { total: storedStamp === stamp ? Number(total) : null, stamp };
  }

  /** Keeps a total that was counted after `stamp` was read. Nobody waits for it: a lost one is counted again. */
  remember(scope: Scope, question: Question, stamp: string | null, total: number): void {
    // Without a stamp nothing can be stored yet; setting one lets the next list store its total.
    const command: RedisCommand = stamp
      ? ['set', totalKey(scope, question), `${stamp}|${total}`, 'EX', TTL_SECONDS]
      : ['set', stampKey(scope), newPid(), 'NX'];
    this.#store.together([command]).catch(() => undefined);
  }

  /** The commands by which a writer makes every total of these models stale. */
  stampCommands(environment: string, tenantId: string, modelCodes: Iterable<string>): RedisCommand[] {
    return [...modelCodes].map((modelCode) => ['set', stampKey({ environment, tenantId, modelCode }), newPid()]);
  }
}

export interface Scope {
  readonly environment: string;
  readonly tenantId: string;
  readonly modelCode: string;
}

/** Everything that decides a total beside the records themselves. */
export interface Question {
  readonly metadataVersion: number;
  readonly keyword: string;
  readonly filters: string;
}

function stampKey({ environment, tenantId, modelCode }: Scope): string {
  return `keelson:stamp:${environment}:${tenantId}:${modelCode}`;
}

function totalKey({ environment, tenantId, modelCode }: Scope, question: Question): string {
  const { metadataVersion, keyword, filters } = question;
  const hash = createHash('sha1')
    .update(JSON.stringify([metadataVersion, keyword, filters]))
    .digest('base64url');
  return `keelson:total:${environment}:${tenantId}:${modelCode}:${hash}`;
}
