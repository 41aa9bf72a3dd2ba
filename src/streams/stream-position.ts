/**
 * A place in a stream: the event with this id has been read, the next one is wanted. The id is `<time>-<ordinal>`: the
 * milliseconds at which the event was written, and its number in the stream, from 1. So ids ascend, also where a stream
 * has expired and begins anew, and two of them tell how many events lie between.
 */
export interface StreamPosition {
  readonly timeMs: number;
  readonly ordinal: number;
}

/** Before the first event. */
export const BEGINNING: StreamPosition = { timeMs: 0, ordinal: 0 };

/** Reads an event's id, or `0` for the beginning. Null for anything else. */
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
