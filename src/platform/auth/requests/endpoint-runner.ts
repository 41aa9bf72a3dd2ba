import { routerOf, type HttpRequest, type HttpResponse, type Run } from '../../../foundation/http/route.ts';
import { isOutdated } from '../../../foundation/database/failures.ts';
import { readRequest } from '../../../foundation/http/read-request.ts';
import { requireAcceptable, send } from '../../../foundation/http/reply.ts';
import { logTenant } from '../../../foundation/logging/trace.ts';
import { authorize, type Actor } from './actor.ts';
import type { Authenticator } from './authenticator.ts';
import { ACCOUNT, PUBLIC, SIGNED_IN, type Endpoint } from './endpoint.ts';
import type { ClientBudget, RateLimits, UserBudget } from './rate-limits.ts';

const CLIENT_BUDGETS: ReadonlySet<string> = new Set<ClientBudget>(['login', 'refresh', 'passwordReset']);

/** Runs endpoints: authenticates, limits, authorizes, validates, handles, presents. */
export class EndpointRunner {
  readonly #authenticator: Authenticator;
  readonly #limits: RateLimits;

  constructor(authenticator: Authenticator, limits: RateLimits) {
    this.#authenticator = authenticator;
    this.#limits = limits;
  }

  /** An Express router of the endpoints, in their order. */
  routerOf(endpoints: readonly Endpoint[]) {
    return routerOf(endpoints, (route) => this.#runnerOf(route as Endpoint));
  }

  #runnerOf(endpoint: Endpoint): Run {
    return async (request, response) => {
      requireAcceptable(request, endpoint);
      try {
        await this.#answer(endpoint, request, response);
      } catch (error) {
        if (!isRead(endpoint) || response.headersSent || !isOutdated(error)) throw error;
        // A publish has renamed what it reads.
        await this.#authenticator.renewMetadata(request);
        await this.#answer(endpoint, request, response);
      }
    };
  }

  async #answer(endpoint: Endpoint, request: HttpRequest, response: HttpResponse): Promise<void> {
    const principal = await this.#principalOf(endpoint, request, response);
    const { check } = endpoint;
    const input = await readRequest(
      request,
      endpoint,
      check && ((fields, errors) => check({ ...principal, params: request.params, request, ...fields }, errors)),
    );
    const context = { ...principal, ...input, request };
    if (endpoint.account) {
      await this.#limits.admitAccount(endpoint.budget as ClientBudget, endpoint.account(context), response);
    }
    await send(response, await endpoint.handle(context));
  }

  /** Authenticates, limits, authorizes. */
  async #principalOf(endpoint: Endpoint, request: HttpRequest, response: HttpResponse): Promise<object> {
    const { access, budget } = endpoint;
    const { params } = request;
    if (access.includes(PUBLIC)) {
      if (isClientBudget(budget)) await this.#limits.admitClient(budget, request.ip, response);
      return {};
    }
    if (access.includes(ACCOUNT)) return { caller: await this.#authenticator.identify(request) };
    const { actor, prefetched } = await this.#authenticator.authenticate(
      request,
      (claims) => endpoint.prefetch?.(claims, params, request) ?? null,
      budget === 'none' ? null : (budget as UserBudget),
    );
    logTenant(actor.tenantId);
    if (endpoint.authorize) return { actor, prefetched, granted: await endpoint.authorize({ actor, params, request }) };
    authorizeAll(actor, access, request);
    return { actor, prefetched };
  }
}

/** Whether it changes nothing, so that it may be handled twice. */
function isRead({ method, budget }: Endpoint): boolean {
  return method === 'GET' || budget === 'lists' || budget === 'reads';
}

function isClientBudget(budget: string): budget is ClientBudget {
  return CLIENT_BUDGETS.has(budget);
}

function authorizeAll(actor: Actor, codes: readonly string[], { params }: HttpRequest): void {
  for (const code of codes) {
    if (code !== SIGNED_IN)
      authorize(
        actor,
        code.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name])),
      );
  }
}
