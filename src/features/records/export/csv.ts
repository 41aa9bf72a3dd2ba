import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import { isNumber, textOfValue, type ExportColumn, type Encoder } from './export-column.ts';

/**
 * What spreadsheets take for the beginning of a formula, the full-width forms of Chinese and Japanese
 * included.
 */
const FORMULA = '=+\\-@\uff1d\uff0b\uff0d\uff20';
/**
 * Where a spreadsheet that opens a CSV file may find a formula, behind any number of apostrophes: at the
 * beginning of a text, and behind what separates cells in other regions or ends rows. There quotes do not
 * help, since they do not begin the cell. One apostrophe more keeps it a text; one less gives back what it
 * was.
 */
const AT_START = `'*[${FORMULA}\\t\\r\\n]`;
const BEHIND_SEPARATOR = `['"]*[${FORMULA}]`;
const LIKE_FORMULA = new RegExp(`^(?=${AT_START})|(?<=[;\\t\\r\\n])(?=${BEHIND_SEPARATOR})`, 'g');
const DISARMED = new RegExp(`^'(?=${AT_START})|(?<=[;\\t\\r\\n])'(?=${BEHIND_SEPARATOR})`, 'g');

/** The text as it stands in a CSV file. Reversed by `rearm`. */
export function disarm(text: string): string {
  return text.replace(LIKE_FORMULA, "'");
}

/** The text that `disarm` was given. */
export function rearm(text: string): string {
  return text.replace(DISARMED, '');
}

const LINE_END = '\r\n';
const BYTE_ORDER_MARK = '\ufeff';

/** RFC 4180. No value is an empty cell, an empty text is `""`. */
export function csvEncoder(columns: readonly ExportColumn[], { bom }: { readonly bom: boolean }): Encoder {
  const titles = columns.map(({ title }) => cellOf(disarm(title)));
  return {
    begin: `${bom ? BYTE_ORDER_MARK : ''}${titles.join(',')}${LINE_END}`,
    record: (record) => `${columns.map((column) => valueCell(column, record)).join(',')}${LINE_END}`,
    end: '',
  };
}

function valueCell(column: ExportColumn, record: RecordData): string {
  const value = record[column.code];
  if (value === null || value === undefined) return '';
  const text = textOfValue(column, value);
  return cellOf(isNumber(column) ? text : disarm(text));
}

/** A cell with this text: quoted where it has to be, and where another region would split it. */
export function cellOf(text: string, separator = ','): string {
  const isQuoted = text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) || text.includes(separator);
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
}
