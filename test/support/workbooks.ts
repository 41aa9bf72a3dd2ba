import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export const WORKBOOK_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook with these parts; a large one is made as it is packed. */
export function workbook(parts: Record<string, string | Iterable<string>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, xml] of Object.entries(parts)) {
    if (typeof xml === 'string') zip.addBuffer(Buffer.from(xml), path);
    else zip.addReadStream(Readable.from(xml, { objectMode: false }), path, { compressionLevel: 1 });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** The parts of a workbook whose one sheet has these rows. */
export function sheetParts(
  rows: string,
  more: Record<string, string | Iterable<string>> = {},
): Record<string, string | Iterable<string>> {
  return {
    'xl/workbook.xml': `<workbook xmlns:r="${WORKBOOK_RELATIONS}"><sheets><sheet name="A" r:id="r7"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r7" Type="x/worksheet" Target="worksheets/one.xml"/><Relationship Id="r8" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    'xl/worksheets/one.xml': `<x:worksheet xmlns:x="y"><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
    ...more,
  };
}

/** The XML of a part between two tags with very much of something in between. */
export function* manyOf(piece: string, count: number, begin: string, end: string): Generator<string> {
  const block = piece.repeat(Math.min(count, 10_000));
  yield begin;
  for (let left = count; left > 0; left -= 10_000) yield left < 10_000 ? piece.repeat(left) : block;
  yield end;
}

const SHARED = 'xl/sharedStrings.xml';
const SHEET = 'xl/worksheets/one.xml';
const MEBIBYTE = 1024 * 1024;
const sharedCells = (count: number) => `<row>${'<c t="s"><v>0</v></c>'.repeat(count)}</row>`;
const oneText = (text: string) => `<sst><si><t>${text}</t></si></sst>`;
const attributes = (count: number) => Array.from({ length: count }, (_, index) => ` a${index}=""`).join('');

/** Small files that unpack to very much, and the limit that each is refused with. */
export const HOSTILE_WORKBOOKS: readonly (readonly [
  what: string,
  refusal: string,
  parts: () => Record<string, string | Iterable<string>>,
])[] = [
  [
    '900 cells of 1 MiB in a row',
    'row 1 has more than 1048576 characters',
    () => sheetParts(sharedCells(900), { [SHARED]: oneText('a'.repeat(MEBIBYTE)) }),
  ],
  [
    'a text of 1 MiB in each of 100 rows',
    'has more than 67108864 characters of text: import it as CSV',
    () => sheetParts(sharedCells(1).repeat(100), { [SHARED]: oneText('a'.repeat(MEBIBYTE)) }),
  ],
  [
    '14 million empty texts',
    'unpacks to more than 64 MB: import it as CSV',
    () => sheetParts('', { [SHARED]: manyOf('<si/>', 14_000_000, '<sst>', '</sst>') }),
  ],
  [
    '1.1 million empty texts',
    'has more than 1000000 different texts: import it as CSV',
    () => sheetParts('', { [SHARED]: manyOf('<si/>', 1_100_000, '<sst>', '</sst>') }),
  ],
  [
    '20 million characters of two bytes',
    'has more than 16777216 characters of text: import it as CSV',
    () => {
      const texts = manyOf(`<si><t>${'\u0436'.repeat(1_000_000)}</t></si>`, 20, '<sst>', '</sst>');
      return sheetParts('', { [SHARED]: texts });
    },
  ],
  [
    '10 million nested tags',
    'nests its XML deeper than 64 levels',
    () => sheetParts('', { [SHEET]: manyOf('<a>', 10_000_000, '<worksheet>', '') }),
  ],
  [
    '300,000 attributes',
    'has an XML tag with more than 100 attributes',
    () => sheetParts(`<row${attributes(300_000)}/>`),
  ],
  [
    '16 million empty rows',
    'unpacks to more than 64 MB: import it as CSV',
    () =>
      sheetParts('', { [SHEET]: manyOf('<row/>', 16_000_000, '<worksheet><sheetData>', '</sheetData></worksheet>') }),
  ],
  [
    '2 million empty rows',
    'has more than 1000000 rows',
    () =>
      sheetParts('', { [SHEET]: manyOf('<row/>', 2_000_000, '<worksheet><sheetData>', '</sheetData></worksheet>') }),
  ],
];
