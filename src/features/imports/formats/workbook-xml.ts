import type { Readable } from 'node:stream';
import sax, { type SAXParser, type Tag } from 'sax';
import { MAX_COLUMNS, MAX_ROW_LENGTH, MAX_SHARED_TEXTS } from '../imports.limits.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { unreadable, type TableLine } from './import-row.ts';

/** What is done at the tags of a part, by their names without prefix. */
interface Handlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Reads a part, piece by piece. Entities beyond those of XML itself are errors, and so is any DOCTYPE. */
async function* parsed(part: Readable, handlers: Handlers): AsyncGenerator<void> {
  const parser: SAXParser = sax.parser(true, { position: false });
  parser.onopentag = (tag) => handlers.open?.(localName(tag.name), (tag as Tag).attributes);
  parser.onclosetag = (name) => handlers.close?.(localName(name));
  parser.ontext = (given) => handlers.text?.(given);
  parser.oncdata = (given) => handlers.text?.(given);
  parser.ondoctype = () => {
    throw unreadable('is not a workbook that can be read');
  };
  parser.onerror = (error) => {
    throw error;
  };
  part.setEncoding('utf8');
  for await (const chunk of part as AsyncIterable<string>) {
    parser.write(chunk);
    yield;
  }
  parser.close();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

async function readAll(part: Readable, handlers: Handlers): Promise<void> {
  for await (const _ of parsed(part, handlers));
}

/** The id by which a workbook refers to its first sheet. */
export async function firstSheet(workbook: Readable): Promise<string | undefined> {
  let id: string | undefined;
  let isOfMac = false;
  await readAll(workbook, {
    open(name, attributes) {
      if (name === 'sheet') id ??= Object.entries(attributes).find(([key]) => /:id$/.test(key))?.[1];
      if (name === 'workbookPr') isOfMac ||= attributes.date1904 === '1' || attributes.date1904 === 'true';
    },
  });
  // The 1904 date system would shift days by four years.
  if (isOfMac) throw unreadable('counts days from 1904: save it with the usual date system');
  return id;
}

/** The path of the part with an id. */
export async function pathOfPart(relations: Readable, id: string | undefined): Promise<string> {
  let target = '';
  await readAll(relations, {
    open(name, attributes) {
      if (name === 'Relationship' && attributes.Id === id) target = attributes.Target ?? '';
    },
  });
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** The texts that cells refer to by their index. */
export async function readSharedTexts(part: Readable): Promise<string[]> {
  const texts: string[] = [];
  const reader = new TextReader();
  let length = 0;
  await readAll(part, {
    open(name) {
      if (name === 'si') reader.begin();
      reader.open(name);
    },
    text: (given) => reader.text(given),
    close(name) {
      reader.close(name);
      if (name !== 'si') return;
      const found = reader.end();
      length += found.length;
      if (length > MAX_SHARED_TEXTS) throw unreadable('has too many different texts: import it as CSV');
      texts.push(found);
    },
  });
  return texts;
}

/** The lines of a sheet. */
export async function* sheetLines(part: Readable, texts: readonly string[]): AsyncGenerator<TableLine> {
  const reader = new SheetReader(texts);
  for await (const _ of parsed(part, reader)) yield* reader.take();
  yield* reader.take();
}

/** Collects the text of a shared text or a cell: that of its runs, without how it is pronounced. */
class TextReader {
  #text = '';
  #isText = false;
  #isPhonetic = false;

  begin(): void {
    this.#text = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
    this.#isText = name === 't' || name === 'v';
  }

  text(given: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text += given;
    if (this.#text.length > MAX_ROW_LENGTH) {
      throw unreadable(text('has a cell of more than {max} characters', { max: MAX_ROW_LENGTH }));
    }
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    this.#isText = false;
  }

  /** What XML cannot hold is written as `_x0001_` (ST_Xstring). */
  end(): string {
    return this.#text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  }
}

class SheetReader implements Handlers {
  readonly #texts: readonly string[];
  readonly #cell = new TextReader();
  #lines: TableLine[] = [];
  #number = 0;
  #cells: unknown[] = [];
  #column = 0;
  #type = '';

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  take(): TableLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  open(name: string, { r, t = 'n' }: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      this.#number = r === undefined ? this.#number + 1 : Number(r);
      this.#cells = [];
      this.#column = 0;
    }
    if (name === 'c') {
      if (r !== undefined) this.#column = columnOf(r);
      if (this.#column >= MAX_COLUMNS) throw unreadable(text('has more than {max} columns', { max: MAX_COLUMNS }));
      this.#type = t;
      this.#cell.begin();
    }
    this.#cell.open(name);
  }

  text(given: string): void {
    this.#cell.text(given);
  }

  close(name: string): void {
    this.#cell.close(name);
    if (name === 'c') {
      while (this.#cells.length < this.#column) this.#cells.push(null);
      this.#cells[this.#column] = this.#value(this.#cell.end());
      this.#column += 1;
    }
    if (name === 'row') this.#lines.push({ number: this.#number, cells: this.#cells });
  }

  #value(written: string): unknown {
    if (this.#type === 's') return this.#texts[Number(written)] ?? null;
    if (this.#type === 'inlineStr' || this.#type === 'str') return written;
    if (written === '') return null;
    if (this.#type === 'b') return written === '1';
    return this.#type === 'n' ? Number(written) : written;
  }
}

/** `AB12` is in column 27, counted from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference.match(/^[A-Z]{1,3}/)?.[0] ?? 'A') column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
