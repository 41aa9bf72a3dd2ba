import { PassThrough, Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { text } from '../../../foundation/i18n/text.ts';
import { MAX_PART_BYTES, MAX_PARTS } from '../imports.limits.ts';
import { unreadable, type SourceFile, type TableLine } from './import-row.ts';
import { firstSheet, pathOfPart, readSharedTexts, sheetLines } from './workbook-xml.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';

const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';
const SHARED_TEXTS = 'xl/sharedStrings.xml';

/**
 * The lines of a workbook's first sheet (ECMA-376, part 1), read as they are asked for. Texts are texts;
 * numbers, which days are as well, numbers.
 * @throws VALIDATION_ERROR for what is no workbook, or unpacks to too much
 */
export async function* workbookLines(file: SourceFile): AsyncGenerator<TableLine> {
  let zip: ZipFile | null = null;
  try {
    zip = await fromRandomAccessReaderPromise(new FileReader(file), file.size, { autoClose: false });
    const parts = await partsOf(zip);
    const id = await firstSheet(await partOf(zip, parts, WORKBOOK));
    const path = await pathOfPart(await partOf(zip, parts, RELATIONS), id);
    const texts = parts.has(SHARED_TEXTS) ? await readSharedTexts(await partOf(zip, parts, SHARED_TEXTS)) : [];
    yield* sheetLines(await partOf(zip, parts, path), texts);
  } catch (error) {
    // yauzl and zlib have an error for each way in which a file can be broken; the store's own are to be
    // told.
    throw error instanceof ApplicationError ? error : unreadable('is not a workbook that can be read');
  } finally {
    zip?.close();
  }
}

async function partsOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_PARTS) throw unreadable(text('has more than {max} parts', { max: MAX_PARTS }));
  const parts = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) parts.set(entry.fileName, entry);
  return parts;
}

/** yauzl ends a part with an error that unpacks to more than it says. */
async function partOf(zip: ZipFile, parts: ReadonlyMap<string, Entry>, path: string): Promise<Readable> {
  const entry = parts.get(path);
  if (!entry || !entry.canDecodeFileData()) throw unreadable('is not a workbook that can be read');
  if (entry.uncompressedSize > MAX_PART_BYTES) {
    throw unreadable(text('unpacks to more than {max} MB', { max: MAX_PART_BYTES / 1024 / 1024 }));
  }
  const part = await zip.openReadStreamPromise(entry);
  // The streams of yauzl report errors without ending.
  const passed = new PassThrough();
  part.on('error', (error: Error) => passed.destroy(error));
  passed.once('close', () => part.destroy());
  return part.pipe(passed);
}

/** Lets yauzl read parts of the file. */
class FileReader extends RandomAccessReader {
  readonly #file: SourceFile;

  constructor(file: SourceFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#file.read({ start, end: end - 1 }), { objectMode: false });
  }
}
