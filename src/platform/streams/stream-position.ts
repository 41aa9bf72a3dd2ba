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
export function problemOfEventId(id: string): string | null {
  return parsePosition(id) ? null : 'must be the id of an event of a stream';
}
