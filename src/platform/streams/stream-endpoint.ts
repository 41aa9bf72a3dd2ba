import { customReply } from '../../foundation/http/reply.ts';
import type { HttpRequest, Method } from '../../foundation/http/route.ts';
import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { textOf } from '../../foundation/validation/formats.ts';
import { ANYTHING, described, openObject, type Schema, type Static } from '../../foundation/validation/schema.ts';
import type { Actor } from '../auth/requests/actor.ts';
import { endpoint, type Endpoint, type ParamsOf } from '../auth/requests/endpoint.ts';
import { parsePosition, problemOfEventId, type StreamPosition } from './stream-entry.ts';
import type { ServedStream, Streams } from './streams.ts';

const EVENT_ID = textOf('event-id', problemOfEventId);

/** The query of every stream. */
export const STREAM_QUERY = { lastEventId: described('Go on after this event', EVENT_ID) };
const ONLY_POSITION = openObject({}, STREAM_QUERY);

interface StreamDefinition<P extends string, Q extends Schema, B extends Schema> {
  readonly method?: Method;
  readonly path: P;
  readonly access: readonly string[] | 'signed-in';
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly errors?: Parameters<typeof endpoint>[0]['errors'];
  /** As of any endpoint. */
  authorize?(context: { readonly actor: Actor; readonly params: ParamsOf<P> }): undefined;
  /** Holds `STREAM_QUERY`. */
  readonly query?: Q;
  readonly body?: B;
  readonly params?: Parameters<typeof endpoint<readonly string[], P>>[0]['params'];
  /** Finds the stream. @throws what the caller is refused with */
  readonly open: (context: {
    readonly actor: Actor;
    readonly params: ParamsOf<P>;
    readonly query: Static<Q>;
    readonly body: Static<B>;
    readonly request: HttpRequest;
  }) => ServedStream | Promise<ServedStream>;
}

/** An endpoint that answers with a stream of server-sent events. Spec: "Other events and streams". */
export function streamEndpoint<
  const P extends string,
  Q extends Schema = typeof ONLY_POSITION,
  B extends Schema = Schema,
>(streams: Streams, definition: StreamDefinition<P, Q, B>): Endpoint {
  const { open, errors = [], ...rest } = definition;
  const { query = ONLY_POSITION as unknown as Q, ...common } = rest;
  return endpoint<readonly string[] | 'signed-in', P, Q, B, undefined, never, StreamPosition | null>({
    method: 'GET',
    ...common,
    query,
    headers: { 'Last-Event-ID': described('The same; it wins', EVENT_ID) },
    data: ANYTHING,
    media: { type: 'text/event-stream', description: 'Server-sent events' },
    errors: ['RATE_LIMITED', ...errors],
    check: ({ request, query }, errors) => positionOf(request, query, errors),
    async handle(context) {
      const { actor, request, checked: position } = context;
      const stream = await open(context);
      return customReply((response) => streams.serve(request, response, actor, position, stream));
    },
  });
}

/** The header, or else the query. Null if the client sends none. */
function positionOf(request: HttpRequest, query: Static<typeof ONLY_POSITION>, errors: FieldErrors) {
  const given = request.get('Last-Event-ID') ?? query.lastEventId ?? '';
  const problem = given === '' ? null : problemOfEventId(given);
  if (problem !== null) errors['Last-Event-ID'] = problem;
  return parsePosition(given);
}
