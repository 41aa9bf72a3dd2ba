const PATTERN = /^(?:\*|[A-Za-z][A-Za-z0-9_.:-]*\*?)$/;
export const MAX_EVENT_TYPE_LENGTH = 100;

/** Whether a subscription to `pattern` hears of the event type: the same, or what a trailing `*` stands for. Spec: "Events", flow 4. */
export function matchesEventType(pattern: string, eventType: string): boolean {
  return pattern.endsWith('*') ? eventType.startsWith(pattern.slice(0, -1)) : pattern === eventType;
}

/** What is wrong with the form of a subscription's `eventType`, or null. Whether such events exist is another question. */
export function problemOfEventType(text: string): string | null {
  if (text === '') return 'is required';
  if (text.length > MAX_EVENT_TYPE_LENGTH) return `must not be longer than ${MAX_EVENT_TYPE_LENGTH} characters`;
  if (text.slice(0, -1).includes('*')) return 'may have * at its end only, as in crm:*';
  return PATTERN.test(text)
    ? null
    : 'must be an event type such as crm:create_lead or record.updated, or the start of one followed by *';
}
