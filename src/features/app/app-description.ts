import type { Language } from '../../foundation/i18n/languages.ts';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { AppReader } from './app-reader.ts';

/** What an actor may use, as JSON. */
export async function describeApp(actor: Actor, language: Language): Promise<string> {
  const { environment, version: metadataVersion } = actor.metadata;
  const parts = [JSON.stringify({ environment, metadataVersion }).slice(0, -1)];
  for (const [key, items] of Object.entries(new AppReader(actor, language).parts())) {
    const written: string[] = [];
    for (const item of items) {
      await letOthersRun();
      written.push(JSON.stringify(item));
    }
    parts.push(`"${key}":[${written.join(',')}]`);
  }
  return `${parts.join(',')}}`;
}
