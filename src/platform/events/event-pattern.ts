import { isLongerThan } from '../../foundation/validation/text-length.ts';
import { text, type Message } from '../../foundation/i18n/text.ts';
import { matchesEventType, RECORD_EVENT_TYPES } from '../metadata/resources/event-types.ts';
import { MAX_EVENT_TYPE_LENGTH } from './events.limits.ts';

const PATTERN = /^(?:\*|[A-Za-z][A-Za-z0-9_.:-]*\*?)$/;

export function isRecordEvent(eventType: string): boolean {
  return (RECORD_EVENT_TYPES as readonly string[]).includes(eventType);
}

/** Whether one of these patterns includes a generic event. */
export function includesRecordEvents(patterns: readonly string[]): boolean {
  return RECORD_EVENT_TYPES.some((type) => patterns.some((pattern) => matchesEventType(pattern, type)));
}

/**
 * Problem of the form of a subscription's `eventType`, or null. Whether such events exist is checked
 * elsewhere.
 */
export function problemOfEventType(pattern: string): Message | null {
  if (pattern === '') return 'is required';
  if (isLongerThan(pattern, MAX_EVENT_TYPE_LENGTH)) {
    return text('must not be longer than {max} characters', { max: MAX_EVENT_TYPE_LENGTH });
  }
  if (pattern.slice(0, -1).includes('*')) return 'may have * at its end only, as in crm:*';
  return PATTERN.test(pattern)
    ? null
    : 'must be an event type such as crm:create_lead or record.updated, or the start of one followed by *';
}
