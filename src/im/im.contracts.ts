import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { BOOLEAN, list, named, nullable, object, openObject, PID, saying, text, TIME } from '../http/schema.ts';
import { STREAM } from '../streams/stream-contract.ts';
import { MESSAGE } from './inbound-message.ts';

const tag = 'Instant messages';
const path = { channel: text() };

export const MAX_BODY_BYTES = 64 * 1024;
const MAX_ROLES = 50;

const ROLES = saying(
  `must be an array of 1 to ${MAX_ROLES} role codes`,
  list(text(), { minItems: 1, maxItems: MAX_ROLES }),
);
const BINDING_BODY = object(
  { roles: ROLES },
  {
    secret: { ...nullable(text({ minLength: 8, maxLength: 500 })), default: null },
    replyUrl: { ...nullable(saying('must be a URL, or null', storable())), default: null },
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
    createdAt: TIME,
    updatedAt: TIME,
  }),
);
/** Of a channel of the kind `slack`: Slack's own. */
const SLACK_EVENT = { ...openObject({ type: text() }), description: "As Slack's Events API has it" };
const SIGNATURES = {
  'X-IM-Signature': text({ description: '`sha256=<hex HMAC of the body>`, of channels of the kind `json`' }),
  'X-Slack-Signature': text({ description: 'Of channels of the kind `slack`' }),
  'X-Slack-Request-Timestamp': text({ description: 'Of channels of the kind `slack`' }),
  'X-Environment': text({
    description: 'The environment of the channel, where it is not the one that the node serves',
  }),
};

// GET /api/im/channels
export const listChannels: Contract = {
  ...{ tag, summary: "The tenant's channels, by code", data: list(BINDING) },
};
// PUT /api/im/channels/:channel
export const bindChannel: Contract = {
  ...{ tag, summary: 'Bind a channel to the tenant, or change its binding', path, body: BINDING_BODY },
  ...{ data: BINDING, errors: ['CONFLICT'] },
};
// DELETE /api/im/channels/:channel
export const unbindChannel: Contract = {
  ...{ tag, summary: 'Set a channel free; its conversations stay', path, data: object({ channel: text() }) },
};
// GET /api/im/conversations/:id/stream
export const streamConversation: Contract = {
  ...{ tag, summary: "The newest answer of a channel's conversation, live" },
  ...{ path: { id: text({ description: 'Its id in the channel' }) }, ...STREAM },
  query: { channel: storable({ description: 'Where several have one' }), ...STREAM.query },
  errors: ['RATE_LIMITED'],
};
// POST /api/im/:channel/messages
export const receiveMessage: Contract = {
  ...{ tag, summary: 'Take a message of a channel and have it answered', path, headers: SIGNATURES },
  description:
    'Signed with the secret of the channel instead of a token. 202 for a message; 200 for what concerns no assistant, and for the challenge with which Slack looks for the URL.',
  ...{ body: { anyOf: [MESSAGE, SLACK_EVENT] }, maxBodyBytes: MAX_BODY_BYTES },
  data: nullable(object({ challenge: text() })),
  accepted: object({ conversationId: text(), replyPid: PID }),
  errors: ['UNAUTHORIZED', 'TENANT_FORBIDDEN', 'RATE_LIMITED'],
};
