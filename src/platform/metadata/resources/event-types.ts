/** The generic events, one for each record that a command has changed. */
export const RECORD_EVENT_TYPES = ['record.created', 'record.updated', 'record.deleted'] as const;

/**
 * Whether an event type matches a pattern: equal, or with the pattern's start before `*`. Spec: "Events",
 * flow 4.
 */
export function matchesEventType(pattern: string, eventType: string): boolean {
  return pattern.endsWith('*') ? eventType.startsWith(pattern.slice(0, -1)) : pattern === eventType;
}
