import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Language } from '../../foundation/i18n/languages.ts';
import { Breather } from '../../foundation/jobs/breather.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { MAX_CACHED_BYTES } from './app.limits.ts';
import { AppReader } from './app-reader.ts';

/** What an actor may use, ready to be sent. */
export interface AppDescription {
  /** JSON. */
  readonly text: string;
  readonly etag: string;
}

interface Asked {
  readonly actor: Actor;
  readonly language: Language;
}

/**
 * Describes the configuration to those who use it. Everyone with the same roles reads the same, in the same
 * language, until the configuration changes.
 */
export class AppDescriptions {
  readonly #known = new LRUCache<string, AppDescription, Asked>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ text }) => text.length,
    fetchMethod: (_key, _stale, { context }) => describe(context),
  });

  of(actor: Actor, language: Language): Promise<AppDescription> {
    const { environment, version } = actor.metadata;
    const key = JSON.stringify([environment, version, language.locale, ...actor.roles]);
    return this.#known.forceFetch(key, { context: { actor, language } });
  }
}

async function describe({ actor, language }: Asked): Promise<AppDescription> {
  const { environment, version: metadataVersion } = actor.metadata;
  const parts = [JSON.stringify({ environment, metadataVersion }).slice(0, -1)];
  const breather = new Breather();
  for (const [key, items] of Object.entries(new AppReader(actor, language).parts())) {
    const written: string[] = [];
    for (const item of items) {
      await breather.pause();
      written.push(JSON.stringify(item));
    }
    parts.push(`"${key}":[${written.join(',')}]`);
  }
  const text = `${parts.join(',')}}`;
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
}
