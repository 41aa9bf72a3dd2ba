import type { Condition } from '@keelson/client';

/** What is seen of a page: all of it is in the address. */
export interface PageSearch {
  /** Keyword. */
  readonly q?: string | undefined;
  /** Conditions, joined by AND. */
  readonly f?: readonly Condition[] | undefined;
  /** `-amount,name`. */
  readonly sort?: string | undefined;
  /** Pid of a saved view. */
  readonly view?: string | undefined;
  /** Codes of the columns, in their order. */
  readonly cols?: readonly string[] | undefined;
  /** Pid of the record that is open beside the list. */
  readonly open?: string | undefined;
  /** What is shown of it. */
  readonly tab?: RecordTab | undefined;
  /** Code of the command whose form is open. */
  readonly run?: string | undefined;
}

export const RECORD_TABS = ['fields', 'related', 'history'] as const;
export type RecordTab = (typeof RECORD_TABS)[number];

/** Reads an address that anyone may have written: what is malformed is left out. */
export function parsePageSearch(given: Readonly<Record<string, unknown>>): PageSearch {
  const { q, f, sort, view, cols, open, tab, run } = given;
  const knownTab = RECORD_TABS.find((one) => one === tab);
  return {
    ...(isText(q) && { q }),
    ...(Array.isArray(f) && f.length > 0 && { f: f.filter(isCondition) }),
    ...(isText(sort) && { sort }),
    ...(isText(view) && { view }),
    ...(Array.isArray(cols) && cols.length > 0 && { cols: cols.filter(isText) }),
    ...(isText(open) && { open }),
    ...(knownTab && { tab: knownTab }),
    ...(isText(run) && { run }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
