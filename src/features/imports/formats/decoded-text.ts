import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { unreadable } from './import-row.ts';

/** Characters that are parsed at a time: a piece of a file may have half a million short rows. */
const PIECE = 4 * 1024;

/** What a fatal decoder of Node throws. */
const NOT_DECODABLE = 'ERR_ENCODING_INVALID_ENCODED_DATA';
const UTF_16 = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
];

/** Text in UTF-8, or in UTF-16 with a byte order mark. @throws VALIDATION_ERROR for any other */
export async function* decodedText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  try {
    for await (const chunk of bytes) {
      const marked = UTF_16.find(({ mark }) => chunk.subarray(0, 2).equals(mark));
      decoder ??= new TextDecoder(marked?.encoding ?? 'utf-8', { fatal: true });
      const text = decoder.decode(chunk, { stream: true });
      yield* inPieces(text);
    }
    const rest = decoder?.decode() ?? '';
    yield* inPieces(rest);
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_DECODABLE) throw unreadable('is not a text in UTF-8');
    throw error;
  }
}

/** A text in pieces, none of which ends within a character. */
async function* inPieces(text: string): AsyncGenerator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + PIECE;
    if (isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    yield text.slice(from, to);
    await letOthersRun();
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
