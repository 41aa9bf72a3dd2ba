import { textOf } from '../http/formats.ts';
import { ANYTHING } from '../http/schema.ts';
import { parsePosition } from './stream-position.ts';

const EVENT_ID = textOf('event-id', problemOfEventId, { description: 'Go on after this event' });

/** What of a contract every stream has. */
export const STREAM = {
  query: { lastEventId: EVENT_ID },
  headers: { 'Last-Event-ID': { ...EVENT_ID, description: 'The same; it wins' } },
  data: ANYTHING,
  media: { type: 'text/event-stream', description: 'Server-sent events' },
} as const;

/** The query of a stream, as its contract has it. */
export interface StreamQuery {
  readonly lastEventId?: string;
}

/** What is wrong with the id of the event that a client has read last, or null. */
export function problemOfEventId(id: string): string | null {
  return parsePosition(id) ? null : 'must be the id of an event of a stream';
}
