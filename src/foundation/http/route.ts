import { Router, type Request, type Response } from 'express';
import type { ErrorCode } from '../errors/catalogue.ts';
import { ApplicationError } from '../errors/application-error.ts';
import type { Schema } from '../validation/schema.ts';

export type HttpRequest = Request;
export type HttpResponse = Response;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Which rate limit a request counts to. Spec: "Limits". */
export type Budget = 'lists' | 'commands' | 'reads' | 'changes' | 'login' | 'refresh' | 'passwordReset' | 'none';

/**
 * How a body is read: validated by its schema; as any JSON object, where the handler validates more than the
 * schema can say; as bytes, where the client signs them; or by the handler, while it arrives.
 */
export type BodyMode = 'validated' | 'unvalidated' | 'bytes' | 'stream';

/** What a route promises to its callers: its part of the OpenAPI document. */
export interface RouteDescription {
  /** The part of the API that it belongs to. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Beside those of every request. */
  readonly headers?: Readonly<Record<string, Schema>>;
  /** `data` of a success. */
  readonly data: Schema;
  /** Codes that mean success beside "0". */
  readonly successCodes?: readonly string[];
  /** `data` of a 202. */
  readonly accepted?: Schema;
  /** The only success is a 202. */
  readonly alwaysAccepted?: boolean;
  /** Success has this media type and no envelope; with `json` the caller chooses by `Accept`. */
  readonly media?: {
    readonly type: string;
    /** Types that the caller may choose in its place. */
    readonly otherTypes?: readonly string[];
    readonly description: string;
    readonly json?: boolean;
    readonly schema?: Schema;
    /** `Range` is answered with 206, and `If-None-Match` with 304. */
    readonly partial?: boolean;
  };
  /** Codes of the catalogue beside those that every such route has. */
  readonly errors?: readonly ErrorCode[];
  /** Answers without an envelope: the schema of the whole body, by status. */
  readonly whole?: Readonly<Record<number, Schema>>;
  /** Where it is not that of the method: `reads` for GET, else `changes`. */
  readonly budget?: Budget;
  /** Largest body, where it is not the default of 1 MiB. */
  readonly maxBodyBytes?: number;
}

/** One method of one path, as Express, the OpenAPI document and the tests see it. */
export interface Route extends RouteDescription {
  readonly method: Method;
  /** With its variable parts as `:name`. */
  readonly path: string;
  /** `public`, `signed-in`, `account`, or the permission codes that are needed. */
  readonly access: readonly string[];
  /** Schemas of variable parts of the path that are not plain texts. */
  readonly params: Readonly<Record<string, Schema>>;
  readonly query: Schema;
  readonly body?: Schema | undefined;
  readonly bodyMode?: BodyMode;
  /** Where it is not JSON. */
  readonly bodyType?: string;
  readonly budget: Budget;
}

export type Run = (request: HttpRequest, response: HttpResponse) => Promise<void>;

/** Mounts routes in their order. Every path answers 405 with `Allow` to the methods it does not have. */
export function routerOf(routes: readonly Route[], runnerOf: (route: Route) => Run): Router {
  const router = Router();
  const byPath = Map.groupBy(routes, ({ path }) => path);
  for (const [path, ofPath] of byPath) {
    for (const route of ofPath) router[lowerCase(route.method)](path, runnerOf(route));
    // Express answers HEAD with what GET would.
    const allowed = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    router.all(path, (_request, response) => {
      response.set('Allow', allowed);
      throw new ApplicationError('METHOD_NOT_ALLOWED');
    });
  }
  return router;
}

function lowerCase(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}
