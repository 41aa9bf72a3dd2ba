import type { Express, RequestHandler } from 'express';
import { contractOf, type Contract } from './contract.ts';

/** Anybody, without a token. */
export const PUBLIC = 'public';
/** Anybody who is logged in; the answer is about the caller alone. */
export const SIGNED_IN = 'signed-in';

const declared = new WeakMap<object, readonly string[]>();

/**
 * Declares who may use a route: PUBLIC, SIGNED_IN, or permission codes, all of which are needed. A code that depends on
 * the request has its variable part in braces: `record:read:{modelCode}`. The first handler of every route; the
 * route itself authorises. A test walks all routes: one without a declaration fails, and so does one that does not keep it.
 */
export function access(...codes: readonly string[]): RequestHandler {
  return declares(codes, (_request, _response, next) => next());
}

/** The same for a handler that needs no other. */
export function declares(codes: readonly string[], handler: RequestHandler): RequestHandler {
  declared.set(handler, codes);
  return handler;
}

/** A route as it is registered; `access` and `contract` are null where nobody declared them. */
export interface RegisteredRoute {
  /** Upper case; null for all methods. */
  readonly method: string | null;
  readonly path: string;
  readonly access: readonly string[] | null;
  readonly contract: Contract | null;
}

/** Every route of an application, in the order in which they are asked. */
export function routesOf(app: Express): RegisteredRoute[] {
  return routesIn((app.router as unknown as Stack).stack);
}

/** What Express keeps of routers, routes and handlers. */
interface Stack {
  readonly stack: readonly Layer[];
}

interface Layer {
  readonly method?: string;
  readonly route?: Stack & { readonly path: string };
  readonly handle: object;
}

function routesIn(layers: readonly Layer[]): RegisteredRoute[] {
  return layers.flatMap(({ route, handle }) => {
    if (!route) return 'stack' in handle ? routesIn((handle as Stack).stack) : [];
    const methods = new Set(route.stack.map(({ method }) => method));
    return [...methods].map((method) => {
      const own = route.stack.filter((layer) => layer.method === method);
      const declaration = <D>(of: (handler: object) => D | undefined): D | null =>
        own.map(({ handle: handler }) => of(handler)).find((found) => found !== undefined) ?? null;
      return {
        method: method?.toUpperCase() ?? null,
        path: route.path,
        access: declaration((handler) => declared.get(handler)),
        contract: declaration(contractOf),
      };
    });
  });
}
