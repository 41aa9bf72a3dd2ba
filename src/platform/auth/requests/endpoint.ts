import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { BodyMode, Budget, HttpRequest, Method, Route, RouteDescription } from '../../../foundation/http/route.ts';
import { type Schema, type Static, NO_PARAMETERS } from '../../../foundation/validation/schema.ts';
import type { Actor } from './actor.ts';
import type { Prefetch, UnverifiedClaims, Caller } from '../caller.ts';

/** Without a token. */
export const PUBLIC = 'public';
/** Any user or program with a token, in a tenant. */
export const SIGNED_IN = 'signed-in';
/** A user's own account, outside any tenant and environment. */
export const ACCOUNT = 'account';

/** Who may use an endpoint: one of the words above, or permission codes, all of which are needed. */
type Access = typeof PUBLIC | typeof SIGNED_IN | typeof ACCOUNT | readonly string[];

/** Who makes the request. */
type Principal<A extends Access> = A extends typeof PUBLIC
  ? unknown
  : A extends typeof ACCOUNT
    ? { readonly caller: Caller & { readonly sessionPid: string } }
    : { readonly actor: Actor };

type ParamNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** The variable parts of a path. */
export type ParamsOf<P extends string> = { readonly [N in ParamNames<P>]: string };

interface Input<P extends string, Q extends Schema, B extends Schema> {
  readonly params: ParamsOf<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
}

/** What the request carries and who makes it. `request` is for headers and the client's address. */
type Context<A extends Access, P extends string, Q extends Schema, B extends Schema, G, F, C> = Principal<A> &
  Input<P, Q, B> & {
    readonly request: HttpRequest;
    readonly granted: G;
    readonly prefetched: F | null;
    readonly checked: C;
  };

interface Definition<
  A extends Access,
  P extends string,
  Q extends Schema,
  B extends Schema,
  G,
  F,
  C,
> extends RouteDescription {
  readonly method: Method;
  readonly path: P;
  /** A code may name a variable part of the path: `automation:run:{code}`. */
  readonly access: A;
  /**
   * Authorizes in place of the codes of `access`, where they depend on more than the path. What it finds on
   * the way is `granted` to `check` and `handle`.
   */
  authorize?(context: {
    readonly actor: Actor;
    readonly params: ParamsOf<P>;
    readonly request: HttpRequest;
  }): G | Promise<G>;
  readonly params?: { readonly [N in ParamNames<P>]?: Schema };
  readonly query?: Q;
  readonly body?: B;
  readonly bodyMode?: BodyMode;
  readonly bodyType?: string;
  /**
   * Rules that the schemas cannot express. They see the fields that keep their schemas. What they make of
   * them is `checked` for `handle`.
   */
  check?(
    input: Principal<A> & {
      readonly params: ParamsOf<P>;
      readonly query: Partial<Static<Q>>;
      readonly body: Partial<Static<B>>;
      readonly request: HttpRequest;
      readonly granted: G;
    },
    errors: FieldErrors,
  ): C | Promise<C>;
  prefetch?(claims: UnverifiedClaims, params: ParamsOf<P>, request: HttpRequest): Prefetch<F> | null;
  /** The account that the request counts to, beside the client's address. Limits guesses of a password. */
  account?(context: Principal<A> & { readonly body: Static<B> }): string;
  /** @returns the `data` of a success, a `Reply`, or a `CustomReply` */
  handle(context: Context<A, P, Q, B, G, F, C>): unknown;
}

/** An endpoint as the runner sees it. */
export interface Endpoint extends Route {
  readonly authorize?: (context: object) => unknown;
  readonly check?: (input: object, errors: FieldErrors) => unknown;
  prefetch?(claims: UnverifiedClaims, params: object, request: HttpRequest): Prefetch<unknown> | null;
  account?(context: object): string;
  handle(context: object): unknown;
}

/**
 * One method of one path, said once: who may use it, what it takes and answers, and what it does. A request
 * is authenticated, limited, authorized, validated, handled and presented, in this order. Express, the
 * OpenAPI document and the tests read this object.
 */
export function endpoint<
  const A extends Access,
  const P extends string,
  Q extends Schema = typeof NO_PARAMETERS,
  B extends Schema = Schema,
  G = undefined,
  F = never,
  C = void,
>(definition: Definition<A, P, Q, B, G, F, C>): Endpoint {
  const { access, params = {}, query = NO_PARAMETERS } = definition;
  const codes: readonly string[] = typeof access === 'string' ? [access] : access;
  return {
    ...(definition as unknown as Endpoint),
    access: codes,
    params: params,
    query,
    budget: definition.budget ?? budgetOf(definition.method, codes),
  };
}

function budgetOf(method: Method, access: readonly string[]): Budget {
  if (access.includes(PUBLIC) || access.includes(ACCOUNT)) return 'none';
  return method === 'GET' ? 'reads' : 'changes';
}
