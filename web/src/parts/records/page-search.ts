import type { Condition } from '@keelson/client';
import { textIn } from '../../app/address.ts';

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
  /** Code of the shape in which the records are shown; absent: a grid. */
  readonly shape?: string | undefined;
  /** Field by which the shape puts records together, with a part of a date: `status`, `due_on:month`. */
  readonly group?: string | undefined;
  /** Figures of columns where they are not the usual ones: `amount:avg,score:none`. */
  readonly figures?: string | undefined;
  /** What a chart measures: `count`, `sum:amount`. */
  readonly measure?: string | undefined;
  /** Widths of columns, in pixels: `name:300,amount:90`. */
  readonly widths?: string | undefined;
  /** Codes of the columns that stay when the others are scrolled. */
  readonly pin?: readonly string[] | undefined;
  readonly rows?: 'roomy' | undefined;
  /** A day of the month that a calendar shows. */
  readonly at?: string | undefined;
  /** Pid of the record that is open beside the list. */
  readonly open?: string | undefined;
  /** What is shown of it. */
  readonly tab?: RecordTab | undefined;
  /** Code of the command whose form is open. */
  readonly run?: string | undefined;
}

export const RECORD_TABS = ['fields', 'related', 'history'] as const;
export type RecordTab = (typeof RECORD_TABS)[number];

const TEXTS = ['q', 'sort', 'view', 'shape', 'group', 'figures', 'measure', 'widths', 'at', 'open', 'run'] as const;

/** Reads an address that anyone may have written: what is malformed is left out. */
export function parsePageSearch(given: Readonly<Record<string, unknown>>): PageSearch {
  const { f, cols, pin, rows, tab } = given;
  const knownTab = RECORD_TABS.find((one) => one === tab);
  const texts = TEXTS.map((name) => [name, textIn(given[name])] as const).filter(([, text]) => isText(text));
  return {
    ...(Object.fromEntries(texts) as Partial<Record<(typeof TEXTS)[number], string>>),
    ...(Array.isArray(f) && f.length > 0 && { f: f.filter(isCondition) }),
    ...(Array.isArray(cols) && cols.length > 0 && { cols: cols.filter(isText) }),
    ...(Array.isArray(pin) && pin.length > 0 && { pin: pin.filter(isText) }),
    ...(rows === 'roomy' && { rows }),
    ...(knownTab && { tab: knownTab }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
