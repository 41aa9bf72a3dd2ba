import type { Readable } from 'node:stream';
import { text } from '../../../foundation/i18n/text.ts';
import { MAX_CELL_FORMATS, MAX_SHARED_CHARACTERS, MAX_SHARED_TEXTS } from '../imports.limits.ts';
import { unreadable } from './import-row.ts';
import { builtInFormat, partsOfFormat, type DateParts } from './number-format.ts';
import { TextReader } from './text-reader.ts';
import { readAll, type Attributes } from './workbook-xml.ts';

/** The ids by which a workbook refers to its sheets that are shown, in their order. */
export async function shownSheets(workbook: Readable): Promise<string[]> {
  const ids: string[] = [];
  let isOfMac = false;
  await readAll(workbook, {
    open(name, attributes, parent) {
      if (name === 'workbookPr') isOfMac ||= attributes.date1904 === '1' || attributes.date1904 === 'true';
      if (name !== 'sheet' || parent !== 'sheets' || (attributes.state ?? 'visible') !== 'visible') return;
      ids.push(Object.entries(attributes).find(([key]) => /:id$/.test(key))?.[1] ?? '');
    },
  });
  // The 1904 date system would shift days by four years.
  if (isOfMac) throw unreadable('counts days from 1904: save it with the usual date system');
  return ids;
}

/** What a workbook refers to: other parts, by id. */
export class Relations {
  readonly #byId = new Map<string, { readonly kind: string; readonly path: string }>();

  static async read(part: Readable): Promise<Relations> {
    const relations = new Relations();
    await readAll(part, { open: (name, attributes) => name === 'Relationship' && relations.#add(attributes) });
    return relations;
  }

  #add({ Id: id = '', Type: type = '', Target: target = '' }: Attributes): void {
    const kind = type.slice(type.lastIndexOf('/') + 1);
    this.#byId.set(id, { kind, path: target.startsWith('/') ? target.slice(1) : `xl/${target}` });
  }

  /** The path of the first part of a kind, among all or those with these ids. */
  pathOf(kind: 'worksheet' | 'sharedStrings' | 'styles', ids: Iterable<string> = this.#byId.keys()): string | null {
    for (const id of ids) {
      const found = this.#byId.get(id);
      if (found?.kind === kind) return found.path;
    }
    return null;
  }
}

/** What the formats of cells show of a serial number, by the index that cells name. */
export async function readFormats(styles: Readable): Promise<DateParts[]> {
  const codes = new Map<string, DateParts>();
  const formats: DateParts[] = [];
  await readAll(styles, {
    open(name, { numFmtId = '0', formatCode = '' }, parent) {
      if (name === 'numFmt' && parent === 'numFmts') codes.set(numFmtId, partsOfFormat(formatCode));
      if (name === 'xf' && parent === 'cellXfs') formats.push(codes.get(numFmtId) ?? builtInFormat(Number(numFmtId)));
      if (codes.size > MAX_CELL_FORMATS || formats.length > MAX_CELL_FORMATS) {
        throw unreadable(text('has more than {max} cell formats', { max: MAX_CELL_FORMATS }));
      }
    },
  });
  return formats;
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
      if (texts.length === MAX_SHARED_TEXTS) {
        throw unreadable(text('has more than {max} different texts: import it as CSV', { max: MAX_SHARED_TEXTS }));
      }
      if (length > MAX_SHARED_CHARACTERS) {
        const values = { max: MAX_SHARED_CHARACTERS };
        throw unreadable(text('has more than {max} characters of text: import it as CSV', values));
      }
      texts.push(found);
    },
  });
  return texts;
}
