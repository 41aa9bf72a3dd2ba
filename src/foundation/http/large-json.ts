import { tooLarge } from '../errors/too-large.ts';
import { MAX_ANSWER_BYTES, STALLED_CLIENT_MS } from '../foundation.limits.ts';
import { letOthersRun } from '../jobs/turns.ts';
import { jsonParts, type WriteJson } from '../validation/json-parts.ts';
import type { HttpResponse } from './route.ts';

/** Characters that are encoded together. */
const PART_LENGTH = 256 * 1024;

/**
 * JSON of what may be large, encoded part by part: it is never one text, which could take twice its bytes.
 * Others are served meanwhile.
 * @throws CONFLICT (TOO_LARGE) as soon as it has more than `maxBytes`
 */
export async function encodeJson(body: unknown, write: WriteJson, maxBytes = MAX_ANSWER_BYTES): Promise<Buffer[]> {
  const encoded: Buffer[] = [];
  let bytes = 0;
  let part: string[] = [];
  let length = 0;
  const flush = (): void => {
    const buffer = Buffer.from(part.join(''));
    bytes += buffer.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    encoded.push(buffer);
    [part, length] = [[], 0];
  };
  for (const text of jsonParts(body, write)) {
    part.push(text);
    length += text.length;
    if (length < PART_LENGTH) continue;
    flush();
    await letOthersRun();
  }
  flush();
  return encoded;
}

/** Sends an encoded body, to a client that takes it. */
export function sendEncoded(response: HttpResponse, encoded: readonly Buffer[]): void {
  response.setTimeout(STALLED_CLIENT_MS, () => response.destroy());
  for (const buffer of encoded) response.write(buffer);
  response.end();
}
