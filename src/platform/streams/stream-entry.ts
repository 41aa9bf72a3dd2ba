import type { RawEntry } from '../../foundation/redis/stream-tail.ts';
import type { Message } from '../../foundation/i18n/text.ts';

/** Kind of object that a stream belongs to. */
type StreamKind = 'run' | 'conversation' | 'reply' | 'execution' | 'promotion' | 'import' | 'record';

/** Key of a stream in Redis. Spec: "A stream is anchored to a shared-store key, not to a node". */
export type StreamKey = `keelson:stream:${StreamKind}:${string}`;

export function streamKey(kind: StreamKind, id: string): StreamKey {
  return `keelson:stream:${kind}:${id}`;
}

/**
 * Id of the last event read from a stream: `<milliseconds when it was written>-<ordinal in the stream, from
 * 1>`. Ids ascend even after a stream has expired and begun again. Two of them show how many events are
 * between.
 */
export interface StreamPosition {
  readonly timeMs: number;
  readonly ordinal: number;
}

/** Before the first event. */
export const BEGINNING: StreamPosition = { timeMs: 0, ordinal: 0 };

/** Parses an event's id, or `0` for the beginning. @returns null for any other text */
export function parsePosition(id: string): StreamPosition | null {
  if (id === '0') return BEGINNING;
  const [, timeMs, ordinal] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return timeMs && ordinal ? { timeMs: Number(timeMs), ordinal: Number(ordinal) } : null;
}

export function formatPosition({ timeMs, ordinal }: StreamPosition): string {
  return `${timeMs}-${ordinal}`;
}

export function isAfter(one: StreamPosition, other: StreamPosition): boolean {
  return one.timeMs === other.timeMs ? one.ordinal > other.ordinal : one.timeMs > other.timeMs;
}

/** The problem of the id of the event that a client has read last; null if none. */
export function problemOfEventId(id: string): Message | null {
  return parsePosition(id) ? null : 'must be the id of an event of a stream';
}

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
