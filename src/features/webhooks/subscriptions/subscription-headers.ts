import { isForbiddenHeader } from '../deliveries/request-headers.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { MASK } from '../masked-headers.ts';
import { MAX_HEADERS, MAX_HEADER_VALUE_BYTES } from '../webhooks.limits.ts';

export type Headers = Readonly<Record<string, string>>;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/;
/** Printable ASCII, space and tab: no line break, with which a value would become more headers. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** The problem of the `headers` of a subscription; null if none. */
export function problemOfHeaders(headers: Readonly<Record<string, unknown>>): Message | null {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return text('must not be more than {max}', { max: MAX_HEADERS });
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) return 'names a header twice';
  for (const [name, content] of entries) {
    if (!TOKEN.test(name)) return text('{name} is not the name of a header', { name: JSON.stringify(name) });
    if (isForbiddenHeader(name)) return text('{name} is set by the service and cannot be given', { name });
    if (typeof content !== 'string' || !VALUE.test(content))
      return text('{name} must be a text of printable ASCII characters', { name });
    if (content.length > MAX_HEADER_VALUE_BYTES)
      return text('{name} must not be longer than {max} bytes', { name, max: MAX_HEADER_VALUE_BYTES });
  }
  return null;
}

/** The name of a header that comes as the mask although no value of it is stored. */
export function maskWithoutValue(given: Headers, stored: Headers): string | undefined {
  const known = new Set(Object.keys(stored).map((name) => name.toLowerCase()));
  return Object.keys(given).find((name) => given[name] === MASK && !known.has(name.toLowerCase()));
}

/** The new headers, with the stored value wherever the mask came back. */
export function unmaskHeaders(given: Headers, stored: Headers): Headers {
  const values = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === MASK ? (values.get(name.toLowerCase()) ?? value) : value,
    ]),
  );
}
