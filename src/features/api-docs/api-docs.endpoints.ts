import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Route, HttpRequest } from '../../foundation/http/route.ts';
import { languageOf } from '../../foundation/http/language.ts';
import { CallerDocuments } from '../app/caller-documents.ts';
import { applicationDocumentOf } from './application-document.ts';
import { type OpenApiDocument, type PublishedLimits, openApiDocument } from './openapi-document.ts';
import { type Endpoint, endpoint, PUBLIC, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { ANYTHING, MAP } from '../../foundation/validation/schema.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { createHash } from 'node:crypto';
import { type CustomReply, customReply } from '../../foundation/http/reply.ts';
import { ASSET_MAX_AGE_SECONDS } from './api-docs.limits.ts';

/** The files of the renderer (swagger-ui-dist) that the page needs, and what they are. */
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Keelson: REST API</title>
    <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/api/docs/favicon-32x32.png" />
  </head>
  <body>
    <noscript>This page needs JavaScript. The same as data: <a href="/api/openapi.json">/api/openapi.json</a></noscript>
    <div id="docs"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Tokens stay in the page's memory: `persistAuthorization` would leave them in the browser. No validator
 * elsewhere is asked.
 */
const START_SCRIPT = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  showExtensions: true,
  tagsSorter: 'alpha',
  persistAuthorization: false,
  validatorUrl: null,
});
`;

const DOCUMENT = '/api/openapi.json';
const DOCS = '/api/docs';
const DOCUMENT_TYPE = 'application/json; charset=utf-8';
const tag = 'API';
const require = createRequire(import.meta.url);
const ENTRY = require.resolve('swagger-ui-dist/package.json');

/** No other origin, no inline script. The renderer needs style attributes and icons in data: URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Sent {
  readonly type: string;
  readonly content: string | Buffer;
  readonly etag: string;
  readonly maxAgeSeconds: number;
}

/** The API's description, for tools and people. Public: it describes operations, not data. */
export function apiDocsEndpoints(
  others: readonly Route[],
  version: string,
  limits: PublishedLimits,
): readonly Endpoint[] {
  let described: Sent | undefined;
  const documentOfAll = (): OpenApiDocument => openApiDocument([...others, ...own], version, limits);
  const assets = new Map<string, Promise<Sent>>();
  const page = sent('text/html; charset=utf-8', PAGE);
  const start = sent('text/javascript; charset=utf-8', START_SCRIPT);
  const own: readonly Endpoint[] = [
    endpoint({
      method: 'GET',
      path: DOCUMENT,
      access: PUBLIC,
      tag,
      summary: 'This document',
      data: ANYTHING,
      // No envelope: tools read it.
      media: { type: 'application/json', description: 'OpenAPI 3.1', schema: MAP },
      handle({ request }) {
        described ??= sent(DOCUMENT_TYPE, JSON.stringify(documentOfAll()));
        return sendFile(request, described);
      },
    }),
    applicationEndpoint(documentOfAll),
    endpoint({
      method: 'GET',
      path: DOCS,
      access: PUBLIC,
      tag,
      summary: 'This document, for people',
      data: ANYTHING,
      media: { type: 'text/html', description: 'A page' },
      handle: ({ request }) => sendFile(request, page),
    }),
    endpoint({
      method: 'GET',
      path: `${DOCS}/:file`,
      access: PUBLIC,
      tag,
      summary: 'What the page is made of',
      data: ANYTHING,
      media: { type: '*/*', description: 'A script, a style sheet or an icon' },
      errors: ['NOT_FOUND'],
      async handle({ params: { file }, request }) {
        if (file === 'start.js') return sendFile(request, start);
        const type = ASSETS.get(file);
        if (type === undefined) throw notFound('There is nothing at this path');
        const loading = assets.get(file) ?? load(file, type);
        assets.set(file, loading);
        return sendFile(request, await loading);
      },
    }),
  ];
  return own;
}

/** @param documentOfAll that of the fixed routes, which exists when all endpoints do */
function applicationEndpoint(documentOfAll: () => OpenApiDocument): Endpoint {
  let applications: CallerDocuments | undefined;
  return endpoint({
    method: 'GET',
    path: '/api/meta/openapi.json',
    access: SIGNED_IN,
    tag: 'Configuration',
    summary: "The caller's application as OpenAPI: a path for each page and command, with its types",
    description: 'Holds nothing that the caller may not use. With `If-None-Match` an unchanged answer is 304.',
    data: ANYTHING,
    media: { type: 'application/json', description: 'OpenAPI 3.1', schema: MAP },
    errors: ['CONFLICT'],
    handle({ actor, request }) {
      applications ??= new CallerDocuments(applicationDocumentOf(documentOfAll()));
      return applications.reply(request, { actor, language: languageOf(request) });
    },
  });
}

async function load(name: string, type: string): Promise<Sent> {
  return sent(type, await readFile(new URL(name, pathToFileURL(ENTRY))), ASSET_MAX_AGE_SECONDS);
}

/** @param maxAgeSeconds how long a browser may use it without asking again */
function sent(type: string, content: string | Buffer, maxAgeSeconds = 0): Sent {
  return {
    maxAgeSeconds,
    type,
    content,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
  };
}

function sendFile(request: HttpRequest, { type, content, etag, maxAgeSeconds }: Sent): CustomReply {
  return customReply((response) => {
    response.set({
      'Content-Type': type,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': maxAgeSeconds === 0 ? 'no-cache' : `public, max-age=${maxAgeSeconds}`,
      ETag: etag,
    });
    if (request.fresh) response.status(304).end();
    else response.end(content);
  });
}
