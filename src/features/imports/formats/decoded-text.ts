import { text } from '../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { unreadable } from './import-row.ts';

/** Characters that are parsed at a time: a piece of a file may have half a million short rows. */
const PIECE = 4 * 1024;

interface Encoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Where the last whole characters of a chunk end, which begins with one. */
  readonly endOfWhole: (chunk: Buffer) => number;
}

const UTF_8: Encoding = {
  name: 'utf-8',
  endOfWhole(chunk) {
    let last = chunk.length - 1;
    while (last > chunk.length - 4 && isContinuation(chunk[last])) last -= 1;
    return (chunk[last] ?? 0) >= 0xc0 ? last : chunk.length;
  },
};
/** Those that begin with a byte order mark. */
const MARKED: readonly (Encoding & { readonly mark: Buffer })[] = [
  { name: 'utf-16le', mark: Buffer.from([0xff, 0xfe]), endOfWhole: (chunk) => endOfUnits(chunk, -1) },
  { name: 'utf-16be', mark: Buffer.from([0xfe, 0xff]), endOfWhole: (chunk) => endOfUnits(chunk, -2) },
];

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** @param highByte of the last unit, from its end */
function endOfUnits(chunk: Buffer, highByte: number): number {
  const end = chunk.length - (chunk.length % 2);
  return isHighSurrogate((chunk[end + highByte] ?? 0) << 8) ? end - 2 : end;
}

/**
 * Text in UTF-8, or in UTF-16 with a byte order mark.
 * @throws VALIDATION_ERROR for any other, with its first wrong byte
 */
export async function* decodedText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: Decoder | null = null;
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const given = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    decoder ??= new Decoder(MARKED.find(({ mark }) => given.subarray(0, 2).equals(mark)) ?? UTF_8);
    const end = decoder.endOfWhole(given);
    held = Buffer.from(given.subarray(end));
    yield* inPieces(decoder.decode(given.subarray(0, end), false));
  }
  if (decoder) yield* inPieces(decoder.decode(held, true));
}

class Decoder {
  readonly #encoding: Encoding;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  #position = 0;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
    this.#decoder = strictDecoder(encoding);
  }

  endOfWhole(chunk: Buffer): number {
    return this.#encoding.endOfWhole(chunk);
  }

  /** @param chunk begins with a whole character; the last one ends with one, too */
  decode(chunk: Buffer, isLast: boolean): string {
    try {
      const decoded = this.#decoder.decode(chunk, { stream: !isLast });
      this.#position += chunk.length;
      return decoded;
    } catch (error) {
      throw this.#problemOf(error, this.#position + lengthOfRight(this.#encoding, chunk));
    }
  }

  #problemOf(error: unknown, byte: number): unknown {
    if ((error as { code?: unknown }).code !== NOT_DECODABLE) return error;
    return unreadable(
      text('is not a text in {encoding}: see its byte {byte}', { encoding: this.#encoding.name, byte }),
    );
  }
}

/** What a fatal decoder of Node throws. */
const NOT_DECODABLE = 'ERR_ENCODING_INVALID_ENCODED_DATA';

function strictDecoder({ name }: Encoding) {
  return new TextDecoder(name, { fatal: true });
}

/** The number of bytes before the first character that is none. */
function lengthOfRight(encoding: Encoding, chunk: Buffer): number {
  let [right, wrong] = [0, chunk.length + 1];
  while (right + 1 < wrong) {
    const middle = (right + wrong) >> 1;
    if (isDecodable(encoding, chunk.subarray(0, middle), true)) right = middle;
    else wrong = middle;
  }
  const begun = chunk.subarray(0, right);
  return isDecodable(encoding, begun, false) ? right : encoding.endOfWhole(begun);
}

/** @param isBegun whether the last character may be incomplete */
function isDecodable(encoding: Encoding, bytes: Buffer, isBegun: boolean): boolean {
  try {
    strictDecoder(encoding).decode(bytes, { stream: isBegun });
    return true;
  } catch {
    return false;
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
