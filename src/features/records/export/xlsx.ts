import { DAY_MS } from '../../../foundation/durations.ts';
import { UTC, wallClock } from '../../../foundation/time/time-zones.ts';
import type { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import { textOfValue, type ExportColumn, type Encoder } from './export-column.ts';
import { MAX_CELL_LENGTH } from './export.limits.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const SHEET = 'xl/worksheets/sheet1.xml';

/** Index of a style in `styles.xml`. */
const STYLE = { date: 1, datetime: 2, title: 3 };

/** The parts of a workbook with one sheet, beside the sheet (ECMA-376, part 1). */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/${SHEET}" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Records" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`,
};

/** The XML of a sheet, whose first row stays in sight. */
export function sheetEncoder(
  columns: readonly ExportColumn[],
  { timeZone = UTC }: { readonly timeZone?: string } = {},
): Encoder {
  const titles = columns.map(({ title }) => textCell(title, ` s="${STYLE.title}"`)).join('');
  const frozen =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  return {
    begin: `${XML}<worksheet xmlns="${MAIN}">${frozen}<sheetData><row>${titles}</row>`,
    record: (record) => `<row>${columns.map((column) => cellOf(column, record, timeZone)).join('')}</row>`,
    end: '</sheetData></worksheet>',
  };
}

/** The first date that a ZIP file can name: the same records are the same bytes, whenever exported. */
const UNDATED = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** The workbook whose sheet has this XML, made as it is read. */
export function zipWorkbook(sheet: Readable): Readable {
  const zip = new ZipFile();
  const file = zip.outputStream as PassThrough;
  // yazl reports what goes wrong with an entry on itself, and forgets its output.
  zip.on('error', (error: Error) => file.destroy(error));
  sheet.on('error', (error) => file.destroy(error));
  file.once('close', () => sheet.destroy());
  for (const [path, xml] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(xml), path, UNDATED);
  zip.addReadStream(sheet, SHEET, { ...UNDATED, compressionLevel: 3 });
  zip.end();
  return file;
}

function cellOf(column: ExportColumn, record: RecordData, timeZone: string): string {
  const value = record[column.code];
  if (value === null || value === undefined) return '<c/>';
  const { cell } = FIELD_TYPES[column.type];
  const text = textOfValue(column, value);
  if (cell === 'number' && isExact(text)) return `<c><v>${text}</v></c>`;
  if (cell === 'boolean') return `<c t="b"><v>${value === true ? 1 : 0}</v></c>`;
  const shown = cell === 'datetime' ? wallClock(new Date(text), timeZone) : new Date(text);
  const day = cell === 'date' || cell === 'datetime' ? serialDay(shown) : null;
  if (day !== null && (cell === 'date' || cell === 'datetime')) return `<c s="${STYLE[cell]}"><v>${day}</v></c>`;
  return textCell(text);
}

/** Whether a spreadsheet, which calculates with doubles, keeps all digits of a number. */
function isExact(text: string): boolean {
  return text.replace(/[-.]|^-?0+/g, '').length <= 15;
}

const FIRST_DAY = Date.UTC(1899, 11, 30);
/** Excel takes 1900 for a leap year: earlier days have no number. */
const FIRST_USABLE_DAY = 61;

/** The number of what UTC's clocks show at a moment in spreadsheets; null for one before March 1900. */
function serialDay(shown: Date): number | null {
  const day = (shown.getTime() - FIRST_DAY) / DAY_MS;
  return day >= FIRST_USABLE_DAY ? day : null;
}

function textCell(text: string, attributes = ''): string {
  const fitting = text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1)}\u2026` : text;
  return `<c t="inlineStr"${attributes}><is><t xml:space="preserve">${escapeXml(fitting)}</t></is></c>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What XML cannot hold is written as `_x0001_`, and what looks like that as `_x005F_x0001_` (ST_Xstring). */
function escapeXml(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? char);
}
