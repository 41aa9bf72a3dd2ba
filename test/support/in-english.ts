import type { Text } from '../../src/foundation/i18n/text.ts';

type English<T> = T extends Text ? string : T extends object ? { [K in keyof T]: English<T[K]> } : T;

/** A message, or plain data with messages in it, as people read it in English. */
export function inEnglish<T>(value: T): English<T> {
  return JSON.parse(JSON.stringify(value)) as English<T>;
}
