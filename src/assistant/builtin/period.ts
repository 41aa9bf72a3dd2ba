import { isoDay, numberOf } from './value.ts';
import { matchAt, type Word } from './words.ts';

const DAY_MS = 86_400_000;

/** A stretch of time: ISO 8601, the end excluded. */
interface Period {
  readonly from: string;
  readonly to: string;
  readonly said: string;
  /** How many words it took to say. */
  readonly length: number;
}

/** `today`, `this week`, `last 7 days`: in UTC, weeks begin on Mondays. Null where the words mean something else. */
export function periodAt(words: readonly Word[], at: number, now: Date): Period | null {
  const day = new Date(`${isoDay(now)}T00:00:00Z`);
  const days = (first: number, count: number, said: string, length: number): Period => {
    const iso = (offset: number): string => new Date(day.getTime() + offset * DAY_MS).toISOString();
    return { from: iso(first), to: iso(first + count), said, length };
  };
  const is = (phrase: string): boolean => matchAt(words, at, phrase.split(' ')) > 0;
  if (is('today')) return days(0, 1, 'today', 1);
  if (is('yesterday')) return days(-1, 1, 'yesterday', 1);
  if (is('tomorrow')) return days(1, 1, 'tomorrow', 1);
  if (is('this week')) return days(-((day.getUTCDay() + 6) % 7), 7, 'this week', 2);
  if (is('this month')) {
    const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
    const [from, to] = [month, month + 1].map((one) => new Date(Date.UTC(year, one, 1)).toISOString()) as [
      string,
      string,
    ];
    return { from, to, said: 'this month', length: 2 };
  }
  const isPast = is('last') || is('past');
  const count = numberOf(words[at + 1]?.low ?? '');
  if ((!isPast && !is('next')) || count === null || !/^days?$/.test(words[at + 2]?.low ?? '')) return null;
  return isPast
    ? days(1 - count, count, `in the last ${count} days`, 3)
    : days(0, count + 1, `in the next ${count} days`, 3);
}
