import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hasVersion, customReply, type CustomReply } from '../../foundation/http/reply.ts';
import type { HttpRequest } from '../../foundation/http/route.ts';
import type { Language } from '../../foundation/i18n/languages.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { MAX_CACHED_BYTES } from './app.limits.ts';

/** What an actor may use, ready to be sent. */
interface CallerDocument {
  /** JSON. */
  readonly text: string;
  readonly etag: string;
}

/** Writes what an actor may use, as JSON, by their roles, language, time zone and the configuration alone. */
export type WriteDocument = (actor: Actor, language: Language) => Promise<string>;

interface Reader {
  readonly actor: Actor;
  readonly language: Language;
}

/**
 * Describes the configuration to its users. Cached by roles, language and time zone until the configuration
 * changes.
 */
export class CallerDocuments {
  readonly #known: LRUCache<string, CallerDocument, Reader>;

  constructor(write: WriteDocument) {
    this.#known = new LRUCache({
      maxSize: MAX_CACHED_BYTES,
      sizeCalculation: ({ text }) => text.length,
      fetchMethod: async (_key, _stale, { context: { actor, language } }) => {
        const text = await write(actor, language);
        return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
      },
    });
  }

  /** 304 to a caller who has it. @param wrap the body around the document */
  async reply(
    request: HttpRequest,
    { actor, language }: Reader,
    wrap = (text: string): string => text,
  ): Promise<CustomReply> {
    const { environment, version } = actor.metadata;
    const key = JSON.stringify([environment, version, language.locale, actor.timeZone, ...actor.roles]);
    const { text, etag } = await this.#known.forceFetch(key, { context: { actor, language } });
    return customReply((response) => {
      response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' }).vary('Authorization');
      if (hasVersion(request, etag)) response.status(304).end();
      else response.type('json').end(wrap(text));
    });
  }
}
