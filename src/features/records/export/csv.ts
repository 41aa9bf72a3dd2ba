import type { RecordData } from '../record-reader.ts';
import { isNumber, textOfValue, type ExportColumn } from './export-column.ts';
import { disarm } from './formula-text.ts';
import type { Encoder } from './encoder.ts';

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

/** A cell with this text: quoted where it has to be. */
export function cellOf(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
