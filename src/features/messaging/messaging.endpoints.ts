import { Type } from 'typebox';
import { IM_MANAGE, permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import {
  withMessage,
  list,
  text,
  oneOf,
  object,
  withDefault,
  nullable,
  named,
  PID,
  BOOLEAN,
  TIME,
  described,
  openObject,
  parameters,
} from '../../foundation/validation/schema.ts';
import { SUSPENSIONS } from '../../platform/auth/accounts/vouching.ts';
import { storable } from '../../foundation/validation/formats.ts';
import { type InstantMessages } from './im.service.ts';
import { type ChannelBindings, presentBinding } from './channel-bindings.service.ts';
import { type ConversationsService } from '../assistant/conversations/conversations.service.ts';
import { type Streams } from '../../platform/streams/streams.ts';
import { type Endpoint, endpoint, SIGNED_IN, PUBLIC } from '../../platform/auth/requests/endpoint.ts';
import { streamEndpoint, STREAM_QUERY } from '../../platform/streams/stream-endpoint.ts';
import { replyStream } from '../assistant/conversations/reply-events.ts';
import { authorize } from '../../platform/auth/requests/actor.ts';
import { MESSAGE } from './inbound-message.ts';
import { currentTraceId, newTraceId } from '../../foundation/logging/trace.ts';
import { reply, customReply, sendJson } from '../../foundation/http/reply.ts';
import { type HttpResponse } from '../../foundation/http/route.ts';
import { environmentOf } from '../../platform/auth/requests/authenticator.ts';
import { quoted, text as message } from '../../foundation/i18n/text.ts';
import { MAX_BODY_BYTES, MAX_ROLES } from './messaging.limits.ts';

const CHANNELS = '/api/im/channels';
const access = [IM_MANAGE];
const tag = 'Instant messages';

const ROLES = withMessage(
  message('must be an array of 1 to {max} role codes', { max: MAX_ROLES }),
  list(text(), { minItems: 1, maxItems: MAX_ROLES }),
);
const BINDING_BODY = object(
  { roles: ROLES },
  {
    // Null leaves the secret as it is.
    secret: withDefault(null, nullable(text({ minLength: 8, maxLength: 500 }))),
    replyUrl: withDefault(null, nullable(withMessage('must be a URL, or null', storable()))),
  },
);
const BINDING = named(
  'ChannelBinding',
  object({
    channel: text(),
    roles: list(text()),
    replyUrl: nullable(text()),
    subscriptionPid: nullable(PID),
    hasSecret: BOOLEAN,
    ownedBy: PID,
    suspended: nullable(oneOf(SUSPENSIONS)),
    createdAt: TIME,
    updatedAt: TIME,
  }),
);
const SLACK_EVENT = described(
  "Of a channel of the kind `slack`: as Slack's Events API has it",
  openObject({ type: text() }),
);
const SIGNATURES = {
  'X-IM-Signature': text({ description: '`sha256=<hex HMAC of the body>`, of channels of the kind `json`' }),
  'X-Slack-Signature': text({ description: 'Of channels of the kind `slack`' }),
  'X-Slack-Request-Timestamp': text({ description: 'Of channels of the kind `slack`' }),
  'X-Environment': text({
    description: 'The environment of the channel, where it is not the one that the node serves',
  }),
};

/**
 * Instant messages: what comes in is signed by its channel, everything else needs a token. Spec: "Other
 * events and streams".
 */
export function messagingEndpoints(
  messages: InstantMessages,
  bindings: ChannelBindings,
  conversations: ConversationsService,
  streams: Streams,
  defaultEnvironment: string,
): readonly Endpoint[] {
  return [
    ...channelEndpoints(bindings),
    ...conversationEndpoints(messages, conversations, streams),
    ...messageEndpoints(messages, defaultEnvironment),
  ];
}

function channelEndpoints(bindings: ChannelBindings): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: CHANNELS,
      access,
      tag,
      summary: "The tenant's channels, by code",
      data: list(BINDING),
      handle: ({ actor }) => bindings.list(actor),
    }),
    endpoint({
      method: 'PUT',
      path: `${CHANNELS}/:channel`,
      access,
      tag,
      summary: 'Bind a channel to the tenant, or change its binding',
      body: BINDING_BODY,
      data: BINDING,
      errors: ['CONFLICT'],
      check: ({ actor, params, body }, errors) => bindings.check(actor, params.channel, body, errors),
      handle: async ({ actor, params, body }) => presentBinding(await bindings.bind(actor, params.channel, body)),
    }),
    endpoint({
      method: 'DELETE',
      path: `${CHANNELS}/:channel`,
      access,
      tag,
      summary: 'Set a channel free; its conversations stay',
      data: object({ channel: text() }),
      async handle({ actor, params: { channel } }) {
        await bindings.unbind(actor, channel);
        return { channel };
      },
    }),
  ];
}

function conversationEndpoints(
  messages: InstantMessages,
  conversations: ConversationsService,
  streams: Streams,
): readonly Endpoint[] {
  return [
    streamEndpoint(streams, {
      path: '/api/im/conversations/:id/stream',
      access: SIGNED_IN,
      tag,
      summary: "The newest answer of a channel's conversation, live",
      params: { id: text({ description: 'Its id in the channel' }) },
      query: parameters({ channel: storable({ description: 'Where several have one' }), ...STREAM_QUERY }),
      async open({ actor, params, query }) {
        const conversation = await messages.find(actor, params.id, query.channel);
        const newest = await conversations.restoreNewestReply(conversation);
        return replyStream(conversation, newest, (now) =>
          authorize(now, permissionCode.imRead(conversation.channel ?? '')),
        );
      },
    }),
  ];
}

function messageEndpoints(messages: InstantMessages, defaultEnvironment: string): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/im/:channel/messages',
      access: PUBLIC,
      tag,
      summary: 'Take a message of a channel and have it answered',
      description:
        'Signed with the secret of the channel instead of a token. 202 for a message; 200 for what concerns no assistant, and for the challenge with which Slack looks for the URL.',
      headers: SIGNATURES,
      body: Type.Union([MESSAGE, SLACK_EVENT]),
      // The exact bytes are what is signed.
      bodyMode: 'bytes',
      maxBodyBytes: MAX_BODY_BYTES,
      data: nullable(object({ challenge: text() })),
      accepted: object({ conversationId: text(), replyPid: PID }),
      errors: ['UNAUTHORIZED', 'TENANT_FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
      async handle({ params, request }) {
        const outcome = await messages.receive({
          environment: environmentOf(request.headers, defaultEnvironment),
          channelCode: params.channel,
          headers: request.headers,
          body: request.body as Buffer,
          address: request.ip,
          target: request.res as HttpResponse,
          traceId: currentTraceId() ?? newTraceId(),
        });
        if (outcome.kind === 'ignored') return reply(null, { message: quoted('ignored') });
        if (outcome.kind === 'accepted') {
          const { conversationId, replyPid } = outcome;
          return reply({ conversationId, replyPid }, { status: 202, message: 'accepted' });
        }
        const { challenge } = outcome;
        // Slack expects the challenge at the top level.
        return customReply((response) =>
          sendJson(response, 200, { code: '0', message: 'ok', data: { challenge }, challenge }),
        );
      },
    }),
  ];
}
