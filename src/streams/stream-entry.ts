import type { RawEntry } from '../redis/stream-tail.ts';
import { BEGINNING, parsePosition, type StreamPosition } from './stream-position.ts';

/** The event that closes a stream: nothing comes after it. */
export const END = 'end';

/** What the server itself says into a stream; producers may not. */
const RESERVED: ReadonlySet<string> = new Set(['gap', 'revoked']);

/** An event as a stream holds it. */
export interface StreamEntry {
  readonly id: string;
  readonly position: StreamPosition;
  readonly event: string;
  /** JSON, in one line. */
  readonly data: string;
}

/** Whether an event may be called so. */
export function isEventName(name: string): boolean {
  return /^[a-z][a-zA-Z0-9_.-]{0,63}$/.test(name) && !RESERVED.has(name);
}

/** The stream's fields are `event` and `data`, in this order: `StreamWriter` writes no others. */
export function parseEntry([id, [, event = '', , data = 'null']]: RawEntry): StreamEntry {
  return { id, position: parsePosition(id) ?? BEGINNING, event, data };
}
