import { formatRounded } from '../../app/format.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { formatDuration } from '../operate/duration.ts';
import type { Component } from './operations-query.ts';

const WORDS: Readonly<Record<string, TextKey>> = {
  diskMinFreeMb: 'at least {value} MB',
  durationMs: 'in {value}',
  freeMb: '{value} MB free',
  idle: '{value} idle',
  oldestSeconds: 'oldest {value}',
  outboxMaxAgeSeconds: 'at most {value}',
  postponed: '{value} postponed',
  used: '{value} in use',
  version: 'version {value}',
  waiting: '{value} waiting',
};

/** What a part of the service says of itself, on one line. */
export function detailsText(details: Component['details']): string {
  return Object.entries(details ?? {})
    .map(([name, found]) => {
      if (typeof found !== 'number') return String(found);
      return Object.hasOwn(WORDS, name)
        ? t(WORDS[name] as TextKey, { value: valueText(name, found) })
        : `${name} ${formatRounded(found)}`;
    })
    .join(' · ');
}

function valueText(name: string, found: number): string {
  if (name.endsWith('Seconds')) return found === 0 ? '0 s' : formatDuration(found * 1_000);
  return name.endsWith('Ms') ? formatDuration(found) : formatRounded(found);
}
