import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Router, type Express, type Request, type Response } from 'express';
import { notFound } from '../errors/application-error.ts';
import { access, PUBLIC, routesOf } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import * as contracts from './api-docs.contracts.ts';
import { ASSETS, PAGE, START_SCRIPT } from './docs-page.ts';
import { openApiDocument, type PublishedLimits } from './openapi-document.ts';

const DOCUMENT = '/api/openapi.json';
const DOCS = '/api/docs';
const DOCUMENT_TYPE = 'application/json; charset=utf-8';
const ASSET_MAX_AGE_SECONDS = 3_600;
const require = createRequire(import.meta.url);
const ENTRY = require.resolve('swagger-ui-dist/package.json');

/** Nothing from elsewhere, no inline script. The renderer styles its elements by attributes, and draws icons from data: URLs. */
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

/** The API's own description, for tools and for people. Public: it tells what is possible, nothing of what is there. */
export function apiDocsRoutes(version: string, limits: PublishedLimits): Router {
  const router = Router();
  let described: Sent | undefined;
  const assets = new Map<string, Promise<Sent>>();

  router.get(DOCUMENT, access(PUBLIC), contract(contracts.document), (request, response) => {
    // Routes do not change once the application stands.
    described ??= sent(
      DOCUMENT_TYPE,
      JSON.stringify(openApiDocument(routesOf(request.app as Express), version, limits)),
    );
    send(request, response, described);
  });
  router.all(DOCUMENT, onlyMethods('GET', 'HEAD'));

  const page = sent('text/html; charset=utf-8', PAGE);
  router.get(DOCS, access(PUBLIC), contract(contracts.page), (request, response) => send(request, response, page));
  router.all(DOCS, onlyMethods('GET', 'HEAD'));

  const start = sent('text/javascript; charset=utf-8', START_SCRIPT);
  router.get(`${DOCS}/:file`, access(PUBLIC), contract(contracts.asset), async (request, response) => {
    const name = String(request.params.file);
    if (name === 'start.js') return send(request, response, start);
    const type = ASSETS.get(name);
    if (type === undefined) throw notFound('There is nothing at this path');
    const loading = assets.get(name) ?? load(name, type);
    assets.set(name, loading);
    send(request, response, await loading);
  });
  router.all(`${DOCS}/:file`, onlyMethods('GET', 'HEAD'));
  return router;
}

async function load(name: string, type: string): Promise<Sent> {
  return sent(type, await readFile(new URL(name, pathToFileURL(ENTRY))), ASSET_MAX_AGE_SECONDS);
}

/** @param maxAgeSeconds for so long nobody need ask whether it has changed */
function sent(type: string, content: string | Buffer, maxAgeSeconds = 0): Sent {
  return {
    maxAgeSeconds,
    type,
    content,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
  };
}

function send(request: Request, response: Response, { type, content, etag, maxAgeSeconds }: Sent): void {
  response.set({
    'Content-Type': type,
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': maxAgeSeconds === 0 ? 'no-cache' : `public, max-age=${maxAgeSeconds}`,
    ETag: etag,
  });
  if (request.fresh) return void response.status(304).end();
  response.end(content);
}
