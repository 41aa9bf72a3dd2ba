import type { RawEntry } from '../../foundation/redis/stream-tail.ts';
import { BEGINNING, parsePosition, type StreamPosition } from './stream-position.ts';

/** Last event of a stream. */
export const END = 'end';

/** Events that only the server sends. */
const RESERVED: ReadonlySet<string> = new Set(['gap', 'revoked']);

/** Event of a stream, as stored. */
export interface StreamEntry {
  readonly id: string;
  readonly position: StreamPosition;
  readonly event: string;
  /** JSON in one line. */
  readonly data: string;
}

export function isEventName(name: string): boolean {
  return /^[a-z][a-zA-Z0-9_.-]{0,63}$/.test(name) && !RESERVED.has(name);
}

/** Relies on the field order of `StreamWriter`: `event`, `data`. */
export function parseEntry([id, [, event = '', , data = 'null']]: RawEntry): StreamEntry {
  return { id, position: parsePosition(id) ?? BEGINNING, event, data };
}
