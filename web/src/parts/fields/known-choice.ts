import type { Choice } from '@keelson/client';
import type { QueryClient } from '@tanstack/react-query';

/** The key of what can be chosen for a field. @param offeredBy a page, or a command */
export function choicesKey(offeredBy: string, code: string) {
  return ['choices', offeredBy, code] as const;
}

/** What a value was called where it was chosen. */
export function knownChoice(cache: QueryClient, pageKey: string, code: string, value: unknown): string | undefined {
  const known = cache.getQueriesData<readonly Choice[]>({ queryKey: choicesKey(pageKey, code) });
  return known.flatMap(([, choices = []]) => choices).find((choice) => choice.value === value)?.label;
}
