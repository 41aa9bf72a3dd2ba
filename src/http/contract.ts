import type { RequestHandler } from 'express';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { Schema } from './schema.ts';

/** What a request counts to. Spec: "Limits". */
export type Budget = 'lists' | 'commands' | 'reads' | 'changes' | 'login' | 'passwordReset' | 'none';

/** What a route promises, for the OpenAPI document. What is the same for many routes is worked out from `access`. */
export interface Contract {
  /** The part of the API that it belongs to. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** By name; a text where nothing is said. */
  readonly path?: Readonly<Record<string, Schema>>;
  readonly query?: Readonly<Record<string, Schema>>;
  /** The names of `query` that must be there. */
  readonly requiredQuery?: readonly string[];
  /** Beside those that every request may have. */
  readonly headers?: Readonly<Record<string, Schema>>;
  /** Of the JSON object that the request carries. */
  readonly body?: Schema;
  /** The most that the body may hold, where it is not the usual. */
  readonly maxBodyBytes?: number;
  /** Of the envelope's `data` in a success. */
  readonly data: Schema;
  /** Codes that mean success beside "0". */
  readonly successCodes?: readonly string[];
  /** `data` of a 202. */
  readonly accepted?: Schema;
  /** The only success is a 202. */
  readonly alwaysAccepted?: boolean;
  /** Success has no envelope but this media type; with `json` it is the caller's choice. */
  readonly media?: {
    readonly type: string;
    readonly description: string;
    readonly json?: boolean;
    readonly schema?: Schema;
  };
  /** Codes of the catalogue beside those that every such route has. */
  readonly errors?: readonly ErrorCode[];
  /** Where it is not that of the method: `reads` for GET, else `changes`. */
  readonly budget?: Budget;
  /** It is about the caller's own account: no tenant, no environment. */
  readonly ofAccount?: boolean;
  /** Answers that are no envelope alone: the schema of the whole body, by status. */
  readonly whole?: Readonly<Record<number, Schema>>;
}

const contracts = new WeakMap<object, Contract>();

/**
 * Declares a route's contract, beside its `access`. It goes into `GET /api/openapi.json`; a test fails for a route without
 * one, and for answers that do not keep it.
 */
export function contract(promised: Contract): RequestHandler {
  const handler: RequestHandler = (_request, _response, next) => next();
  contracts.set(handler, promised);
  return handler;
}

export function contractOf(handler: object): Contract | undefined {
  return contracts.get(handler);
}
