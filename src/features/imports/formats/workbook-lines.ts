import { PassThrough, type Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, type Entry, type RandomAccessReader, type ZipFile } from 'yauzl';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { MAX_PARTS, MAX_UNPACKED_BYTES } from '../imports.limits.ts';
import { unreadable, type TableLine } from './import-row.ts';
import { sheetLines } from './sheet-reader.ts';
import { readFormats, readSharedTexts, Relations, shownSheets } from './workbook-parts.ts';

const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';

/**
 * The lines of a workbook's first sheet that is shown (ECMA-376, part 1), read as they are asked for.
 * @throws VALIDATION_ERROR for what is no workbook, or more of one than a limit allows
 */
export async function* workbookLines(reader: RandomAccessReader, size: number): AsyncGenerator<TableLine> {
  let zip: ZipFile | null = null;
  try {
    zip = await fromRandomAccessReaderPromise(reader, size, { autoClose: false });
    const parts = await Parts.of(zip);
    const sheets = await shownSheets(await parts.open(WORKBOOK));
    const relations = await Relations.read(await parts.open(RELATIONS));
    const path = relations.pathOf('worksheet', sheets);
    if (path === null) throw unreadable('has no sheet that is shown');
    const shared = await parts.openIfThere(relations.pathOf('sharedStrings'));
    const texts = shared ? await readSharedTexts(shared) : [];
    const styles = await parts.openIfThere(relations.pathOf('styles'));
    const formats = styles ? await readFormats(styles) : [];
    yield* sheetLines(await parts.open(path), { texts, formats });
  } catch (error) {
    // yauzl, zlib and sax have an error for each way in which a file can be broken; the limits' own are to be
    // told.
    throw error instanceof ApplicationError ? error : unreadable('is not a workbook that can be read');
  } finally {
    zip?.close();
  }
}

/** The parts of a workbook, which together unpack to a limited size. */
class Parts {
  readonly #zip: ZipFile;
  readonly #entries = new Map<string, Entry>();
  #unpacked = 0;

  private constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  static async of(zip: ZipFile): Promise<Parts> {
    if (zip.entryCount > MAX_PARTS) throw unreadable(text('has more than {max} parts', { max: MAX_PARTS }));
    const parts = new Parts(zip);
    for await (const entry of zip.eachEntry()) parts.#entries.set(entry.fileName, entry);
    return parts;
  }

  /** yauzl ends a part with an error that unpacks to more than it says. */
  async open(path: string): Promise<Readable> {
    const entry = this.#entries.get(path);
    if (!entry || !entry.canDecodeFileData()) throw unreadable('is not a workbook that can be read');
    this.#unpacked += entry.uncompressedSize;
    if (this.#unpacked > MAX_UNPACKED_BYTES) {
      throw unreadable(
        text('unpacks to more than {max} MB: import it as CSV', { max: MAX_UNPACKED_BYTES / 1024 / 1024 }),
      );
    }
    const part = await this.#zip.openReadStreamPromise(entry);
    // The streams of yauzl report errors without ending.
    const passed = new PassThrough();
    part.on('error', (error: Error) => passed.destroy(error));
    passed.once('close', () => part.destroy());
    return part.pipe(passed);
  }

  async openIfThere(path: string | null): Promise<Readable | null> {
    return path !== null && this.#entries.has(path) ? this.open(path) : null;
  }
}
