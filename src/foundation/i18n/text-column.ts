import { text, Text, type Message, type StoredMessage } from './text.ts';

/**
 * How a text with values begins in a column of type text: it is JSON there. Every other message stands as it
 * is.
 */
const JSON_START = '{"template":';

export function toColumn(message: Message): string {
  const stored = Text.from(message).toStored();
  if (typeof stored !== 'string') return JSON.stringify(stored);
  // People write reasons as they like.
  return stored.startsWith(JSON_START) ? toColumn(text('{value}', { value: stored })) : stored;
}

export function fromColumn(column: string | null | undefined): Text | null {
  if (column === null || column === undefined) return null;
  return Text.from(column.startsWith(JSON_START) ? (JSON.parse(column) as StoredMessage) : column);
}
