/** Those that steer the connection or the framing of the message are the client's own, on every request the same. */
const OWN_HEADERS = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'http2-settings', 'keep-alive'],
  ...['proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible characters, space and tab: no line break, with which a value would become more headers. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What is wrong with the headers that a caller wants to send, or null. */
export function problemOfHeaders(headers: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
    if (OWN_HEADERS.has(name.toLowerCase())) return `the header ${name} must not be set`;
    if (!VALUE.test(value)) return `the header ${name} has a character that is not allowed`;
  }
  return null;
}
