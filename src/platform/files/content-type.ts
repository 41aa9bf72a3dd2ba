import { fileTypeFromBuffer } from 'file-type';

const UNKNOWN_TYPE = 'application/octet-stream';
const PLAIN_TEXT = 'text/plain';

/** Text types that cannot be told apart by their bytes: the declared type counts. */
const DECLARED_TEXTS: ReadonlySet<string> = new Set([
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'text/calendar',
  'text/vcard',
  'text/xml',
  'application/xml',
  'application/json',
  'application/x-ndjson',
  'application/yaml',
]);

/**
 * Types of texts by the extension of the name, for a client that declares none of them: browsers on Windows
 * call a CSV file one of Excel, or nothing.
 */
const TEXTS_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
    md: 'text/markdown',
    ics: 'text/calendar',
    vcf: 'text/vcard',
    xml: 'text/xml',
    json: 'application/json',
    ndjson: 'application/x-ndjson',
    jsonl: 'application/x-ndjson',
    yaml: 'application/yaml',
    yml: 'application/yaml',
  }),
);

/** Bytes that no text has, by the MIME Sniffing Standard. */
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const UTF_16 = /^(\xfe\xff|\xff\xfe)/;
/** What may stand before the first element of markup. */
const PROLOGUE = /^(\xef\xbb\xbf|\s+|<\?xml[^>]*>|<!--[^]*?-->|<!doctype svg[^>]*>)/i;
const SVG = /^<svg[\s>]/i;
const HTML = /^<(!doctype html|html|head|body|script|iframe|style|title|h1|div|p|a|table)[\s>]/i;

/**
 * The type of a file, by its first bytes. What the client declares, and then the name, decide between texts
 * that look alike, and nothing else.
 */
export async function contentTypeOf(head: Buffer, declared: string, name: string): Promise<string> {
  const text = head.toString('latin1');
  const isText = UTF_16.test(text) || !BINARY.test(text);
  const markup = isText ? withoutPrologue(text) : '';
  if (SVG.test(markup)) return 'image/svg+xml';
  if (HTML.test(markup)) return 'text/html';
  const known = await fileTypeFromBuffer(head);
  if (known) return known.mime;
  if (!isText) return UNKNOWN_TYPE;
  if (DECLARED_TEXTS.has(declared)) return declared;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(name) ?? [];
  return TEXTS_BY_EXTENSION.get(extension.toLowerCase()) ?? PLAIN_TEXT;
}

function withoutPrologue(text: string): string {
  let rest = text;
  for (let match = PROLOGUE.exec(rest); match; match = PROLOGUE.exec(rest)) rest = rest.slice(match[0].length);
  return rest;
}
