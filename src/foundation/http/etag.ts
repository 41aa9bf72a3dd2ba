import type { HttpRequest } from './route.ts';

/**
 * Whether the client has what this ETag names, so that 304 is enough. Express' `fresh` would deny it to
 * `fetch`, which sends `Cache-Control: no-cache` with every `If-None-Match`.
 */
export function hasVersion(request: HttpRequest, etag: string): boolean {
  const known = (request.get('If-None-Match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
