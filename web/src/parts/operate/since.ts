import { t } from '../../app/texts.ts';

const HOUR_MS = 3_600_000;
const SPANS: Readonly<Record<string, number>> = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS };

/** The times that lists can be limited to, as chips have them. */
export function timeOptions(): (readonly [string, string])[] {
  return [
    ['1h', t('The last hour')],
    ['24h', t('The last 24 hours')],
    ['7d', t('The last 7 days')],
  ];
}

/** When a span has begun, to the minute: the same question has the same answer for a while. */
export function sinceOf(span: string | undefined): string | undefined {
  const ms = span === undefined ? undefined : SPANS[span];
  if (ms === undefined) return undefined;
  const minute = 60_000;
  return new Date(Math.floor((Date.now() - ms) / minute) * minute).toISOString();
}
