import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export const WORKBOOK_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook with these parts. */
export function workbook(parts: Record<string, string>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml), path);
  zip.end();
  return buffer(zip.outputStream);
}

/** The parts of a workbook whose one sheet has these rows. */
export function sheetParts(rows: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    'xl/workbook.xml': `<workbook xmlns:r="${WORKBOOK_RELATIONS}"><sheets><sheet name="A" r:id="r7"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r7" Target="worksheets/one.xml"/></Relationships>',
    'xl/worksheets/one.xml': `<x:worksheet xmlns:x="y"><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
    ...more,
  };
}
