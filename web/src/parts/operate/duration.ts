import { formatRounded } from '../../app/format.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** `12 ms`, `1.2 s`, `3 min`, `2 h`: as short as it can be read. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${formatRounded(Math.round(ms / 100) / 10)} s`;
  if (ms < HOUR_MS) return `${formatRounded(Math.round(ms / MINUTE_MS))} min`;
  return `${formatRounded(Math.round(ms / (HOUR_MS / 10)) / 10)} h`;
}
