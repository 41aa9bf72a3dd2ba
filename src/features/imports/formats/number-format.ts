/** What a cell with a number format shows of a serial number: nothing but a number where it is null. */
export type DateParts = 'date' | 'time' | 'datetime' | null;

/**
 * Formats that files name without their code (ECMA-376, part 1, 18.8.30), those of China and Japan included.
 */
const BUILT_IN: readonly (readonly [from: number, to: number, DateParts])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'datetime'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
];

export function builtInFormat(id: number): DateParts {
  return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? null;
}

/** Texts, escaped and padding characters, colours and languages. */
const NO_PLACES = /"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]|General|AM\/PM|A\/P/gi;
const ELAPSED = /\[[hms]+\]/i;
const FRACTION_OF_SECOND = /s\.0+/gi;

/** The parts of days and times that a format code such as `yyyy-mm-dd hh:mm` shows. */
export function partsOfFormat(code: string): DateParts {
  const [first = ''] = code.replace(NO_PLACES, '').split(';', 1);
  const places = first.replace(FRACTION_OF_SECOND, 's');
  // Hours beyond a day are an amount of time.
  if (ELAPSED.test(places) || /[0#?@]/.test(places)) return null;
  const hasTime = /[hs]/i.test(places);
  const hasDay = /[yedgb]/i.test(places) || (/m/i.test(places) && !hasTime);
  if (hasDay) return hasTime ? 'datetime' : 'date';
  return hasTime ? 'time' : null;
}
