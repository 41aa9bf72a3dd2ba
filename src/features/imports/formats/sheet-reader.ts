import type { Readable } from 'node:stream';
import { text } from '../../../foundation/i18n/text.ts';
import { digitsOf, isExact } from '../../../foundation/validation/json-scan.ts';
import { MAX_COLUMNS, MAX_ROW_LENGTH, MAX_ROWS, MAX_SHEET_CHARACTERS } from '../imports.limits.ts';
import { unreadable, type TableLine } from './import-row.ts';
import type { DateParts } from './number-format.ts';
import { dateOfSerial, type Cell } from './sheet-cell.ts';
import { TextReader } from './text-reader.ts';
import { parsed, type Attributes, type Handlers } from './workbook-xml.ts';

/** What the cells of a sheet refer to. */
export interface SheetContext {
  readonly texts: readonly string[];
  readonly formats: readonly DateParts[];
}

/** The lines of a sheet that have a cell. */
export async function* sheetLines(part: Readable, context: SheetContext): AsyncGenerator<TableLine> {
  const reader = new SheetReader(context);
  for await (const _ of parsed(part, reader)) yield* reader.take();
  yield* reader.take();
}

/** Spreadsheets write at most so many digits of a number, which has 53 bits. */
const DIGITS_OF_DOUBLE = 17;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const REFERENCE = /^([A-Z]{1,3})(\d+)$/;
/** What is reported of a faulty cell. */
const MAX_WRITTEN = 40;

class SheetReader implements Handlers {
  readonly #context: SheetContext;
  readonly #cell = new TextReader();
  #lines: TableLine[] = [];
  #number = 0;
  #cells: Cell[] = [];
  #rowLength = 0;
  #length = 0;
  #column = 0;
  #type = '';
  #style = 0;
  #isFormula = false;
  #isInRow = false;
  #isInCell = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  take(): TableLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  open(name: string, attributes: Attributes, parent: string): void {
    if (name === 'row' && parent === 'sheetData') this.#beginRow(attributes);
    if (name === 'c' && parent === 'row' && this.#isInRow) this.#beginCell(attributes);
    if (name === 'f') this.#isFormula = true;
    if (this.#isInCell) this.#cell.open(name);
  }

  text(given: string): void {
    if (this.#isInCell) this.#cell.text(given);
  }

  close(name: string): void {
    this.#cell.close(name);
    if (name === 'c' && this.#isInCell) this.#endCell();
    if (name === 'row') this.#endRow();
  }

  /** Rows that are numbered twice, or in another order, would be left out. */
  #beginRow({ r }: Attributes): void {
    const number = r === undefined ? this.#number + 1 : /^\d+$/.test(r) ? Number(r) : 0;
    if (number <= this.#number) {
      const values = { row: (r ?? '').slice(0, MAX_WRITTEN), before: this.#number };
      throw unreadable(text('has a row numbered {row} behind row {before}', values));
    }
    if (number > MAX_ROWS + 1) throw unreadable(text('has more than {max} rows', { max: MAX_ROWS }));
    this.#number = number;
    this.#cells = [];
    this.#rowLength = 0;
    this.#column = 0;
    this.#isInRow = true;
  }

  #endRow(): void {
    if (this.#cells.length > 0) this.#lines.push({ number: this.#number, cells: this.#cells });
    this.#cells = [];
    this.#isInRow = false;
  }

  #beginCell({ r, t = 'n', s = '0' }: Attributes): void {
    if (r !== undefined) this.#column = this.#columnOf(r);
    if (this.#column >= MAX_COLUMNS) throw unreadable(text('has more than {max} columns', { max: MAX_COLUMNS }));
    this.#type = t;
    this.#style = Number(s);
    this.#isFormula = false;
    this.#isInCell = true;
    this.#cell.begin();
  }

  #endCell(): void {
    const value = this.#value(this.#cell.end());
    this.#isInCell = false;
    if (value !== null) {
      while (this.#cells.length < this.#column) this.#cells.push(null);
      this.#cells[this.#column] = value;
      this.#count(value);
    }
    this.#column += 1;
  }

  /** Cells may share one long text. */
  #count(value: Cell): void {
    const length = typeof value === 'string' ? value.length : 1;
    this.#rowLength += length;
    this.#length += length;
    if (this.#rowLength > MAX_ROW_LENGTH) {
      const values = { row: this.#number, max: MAX_ROW_LENGTH };
      throw unreadable(text('row {row} has more than {max} characters', values));
    }
    if (this.#length > MAX_SHEET_CHARACTERS) {
      const values = { max: MAX_SHEET_CHARACTERS };
      throw unreadable(text('has more than {max} characters of text: import it as CSV', values));
    }
  }

  #value(written: string): Cell {
    switch (this.#type) {
      case 's':
        return this.#sharedText(written);
      case 'inlineStr':
      case 'str':
        return written;
      case 'e':
        return { fault: 'error', written: written.slice(0, MAX_WRITTEN) };
    }
    if (written === '') return this.#isFormula ? { fault: 'formula', written } : null;
    switch (this.#type) {
      case 'b':
        return written === '1' || written === 'true';
      case 'd':
        return { date: written, serial: null };
      case 'n':
        return this.#numberIn(written.trim());
      default:
        throw unreadable('is not a workbook that can be read');
    }
  }

  #sharedText(written: string): Cell {
    const found = /^\d+$/.test(written) ? this.#context.texts[Number(written)] : undefined;
    if (found === undefined) throw unreadable('is not a workbook that can be read');
    return found;
  }

  #numberIn(written: string): Cell {
    const number = Number(written);
    const isSame =
      NUMBER.test(written) &&
      (isExact(written) || digitsOf(number.toPrecision(DIGITS_OF_DOUBLE)) === digitsOf(written));
    if (!isSame) return { fault: 'number', written: written.slice(0, MAX_WRITTEN) };
    return dateOfSerial(number, this.#context.formats[this.#style] ?? null);
  }

  /** `AB12` is in column 27, counted from 0. A cell that comes again would replace the one before. */
  #columnOf(reference: string): number {
    const [, letters, row] = REFERENCE.exec(reference) ?? [];
    const column = [...(letters ?? '')].reduce((before, letter) => before * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    if (column < this.#column || Number(row) !== this.#number) {
      const values = { cell: reference.slice(0, MAX_WRITTEN), row: this.#number };
      throw unreadable(text('has a cell {cell} out of its order in row {row}', values));
    }
    return column;
  }
}
