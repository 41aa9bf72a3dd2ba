import { text, type Message } from '../i18n/text.ts';

/** Headers of the connection and of the message framing, which the client sets itself. */
const RESERVED_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible characters, space and tab. A line break would inject headers. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Problem of the headers of an outbound request, or null. */
export function problemOfOutboundHeaders(headers: Readonly<Record<string, string>>): Message | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name)) return text('{name} is not the name of a header', { name: JSON.stringify(name) });
    if (RESERVED_HEADERS.has(name.toLowerCase())) return text('the header {name} must not be set', { name });
    if (!VALUE.test(value)) return text('the header {name} has a character that is not allowed', { name });
  }
  return null;
}
