import { notFound } from '../../foundation/errors/application-error.ts';
import { customReply, hasVersion, type CustomReply } from '../../foundation/http/reply.ts';
import type { HttpRequest } from '../../foundation/http/route.ts';
import { ANYTHING } from '../../foundation/validation/schema.ts';
import { endpoint, PUBLIC, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ENCODINGS, readBuiltFiles, type BuiltFile } from './built-files.ts';
import { HASHED_FILE_SECONDS } from './console.limits.ts';

const BASE = '/console';
const tag = 'Console';
/** The addresses of its screens: `/console/pages/leads/01M8...`. */
const SCREENS = [BASE, `${BASE}/:area`, `${BASE}/:area/:name`, `${BASE}/:area/:name/:item`] as const;

/** Nothing from elsewhere, nothing inline. Pictures of files are object URLs of what was fetched. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  // A preview of a PDF: the browser's own viewer, for bytes that the page has typed.
  'frame-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The console's page at the address of each screen, and what it is made of. Public: it holds no data. */
export function consoleEndpoints(): readonly Endpoint[] {
  const pages = readOnce('./');
  const assets = readOnce('./assets/');
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/assets/:file`,
      access: PUBLIC,
      tag,
      summary: 'What the console is made of',
      data: ANYTHING,
      media: { type: '*/*', description: 'A script, a style sheet or an icon' },
      async handle({ params: { file }, request }) {
        const found = (await assets()).get(file);
        if (!found) throw notFound('There is nothing at this path');
        return sendFile(request, found, `public, max-age=${HASHED_FILE_SECONDS}, immutable`);
      },
    }),
    ...SCREENS.map((path) =>
      endpoint({
        method: 'GET',
        path,
        access: PUBLIC,
        tag,
        summary: 'The web console',
        data: ANYTHING,
        media: { type: 'text/html', description: 'A page' },
        errors: ['NOT_FOUND'],
        async handle({ request }) {
          const page = (await pages()).get('index.html');
          if (!page) throw notFound('The console has not been built: npm run build:console');
          return sendFile(request, page, 'no-cache');
        },
      }),
    ),
  ];
}

/** What was not there is looked for again: a build may come later. */
function readOnce(folder: string): () => Promise<ReadonlyMap<string, BuiltFile>> {
  let reading: Promise<ReadonlyMap<string, BuiltFile>> | null = null;
  return async () => {
    const files = await (reading ??= readBuiltFiles(folder));
    if (files.size === 0) reading = null;
    return files;
  };
}

function sendFile(request: HttpRequest, file: BuiltFile, caching: string): CustomReply {
  return customReply((response) => {
    response.vary('Accept-Encoding').set({
      'Content-Type': file.type,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': caching,
      ETag: file.etag,
    });
    if (hasVersion(request, file.etag)) return response.status(304).end();
    const encoding = ENCODINGS.find((one) => file.compressed[one] && request.acceptsEncodings(one) === one);
    if (encoding) response.set('Content-Encoding', encoding);
    return response.end(encoding ? file.compressed[encoding] : file.content);
  });
}
