export type Operator = readonly [phrase: string, operator: string, said: string];

/** Longest first: "is not" before "is". */
export const OPERATORS: readonly Operator[] = [
  ['is more than', 'gt', '>'],
  ['is greater than', 'gt', '>'],
  ['is less than', 'lt', '<'],
  ['is at least', 'gte', '>='],
  ['is at most', 'lte', '<='],
  ['is over', 'gt', '>'],
  ['is above', 'gt', '>'],
  ['is under', 'lt', '<'],
  ['is below', 'lt', '<'],
  ['is before', 'lt', 'before'],
  ['is after', 'gt', 'after'],
  ['is not', 'ne', 'not'],
  ["isn't", 'ne', 'not'],
  ['greater than', 'gt', '>'],
  ['more than', 'gt', '>'],
  ['bigger than', 'gt', '>'],
  ['higher than', 'gt', '>'],
  ['less than', 'lt', '<'],
  ['smaller than', 'lt', '<'],
  ['lower than', 'lt', '<'],
  ['at least', 'gte', '>='],
  ['at most', 'lte', '<='],
  ['up to', 'lte', '<='],
  ['starts with', 'starts_with', 'starts with'],
  ['starting with', 'starts_with', 'starts with'],
  ['ends with', 'ends_with', 'ends with'],
  ['ending with', 'ends_with', 'ends with'],
  ['contains', 'ilike', 'contains'],
  ['containing', 'ilike', 'contains'],
  ['like', 'ilike', 'contains'],
  ['over', 'gt', '>'],
  ['above', 'gt', '>'],
  ['>=', 'gte', '>='],
  ['<=', 'lte', '<='],
  ['>', 'gt', '>'],
  ['<', 'lt', '<'],
  ['!=', 'ne', 'not'],
  ['under', 'lt', '<'],
  ['below', 'lt', '<'],
  ['before', 'lt', 'before'],
  ['after', 'gt', 'after'],
  ['since', 'gte', 'since'],
  ['equals', 'eq', 'is'],
  ['equal to', 'eq', 'is'],
  ['not', 'ne', 'not'],
  ['is', 'eq', 'is'],
  ['are', 'eq', 'is'],
  ['=', 'eq', 'is'],
  ['of', 'eq', 'is'],
  ['on', 'eq', 'is'],
];

/** They say nothing that a rule would have to know. */
export const FILLERS = new Set(
  `a an the all any and are is there do does did we i you have has had got in our of please can could would me to that
   which what who whose with where having records record entries exist exists existing currently now right total number how
   many much count show list find get give display search see view let's lets for it them some was were be been , from`.split(
    /\s+/,
  ),
);

/** Words at which a value of several words ends. */
export const BOUNDARIES = new Set([
  ',',
  'and',
  'or',
  'with',
  'sorted',
  'ordered',
  'order',
  'sort',
  'by',
  'where',
  'whose',
]);

export const NEWEST: Readonly<Record<string, 'asc' | 'desc'>> = {
  newest: 'desc',
  latest: 'desc',
  recent: 'desc',
  last: 'desc',
};
export const OLDEST: Readonly<Record<string, 'asc' | 'desc'>> = { oldest: 'asc', earliest: 'asc' };
export const EXTREMES: Readonly<Record<string, 'asc' | 'desc'>> = {
  ...{ biggest: 'desc', largest: 'desc', highest: 'desc', top: 'desc', best: 'desc' },
  ...{ smallest: 'asc', lowest: 'asc' },
};
