import express, { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { conversationKey, LAST_EVENTS, positionBefore } from '../assistant/reply-events.ts';
import type { ConversationsService } from '../assistant/conversations.service.ts';
import { validationError } from '../errors/application-error.ts';
import { access, PUBLIC, SIGNED_IN } from '../http/access.ts';
import { contract } from '../http/contract.ts';
import { onlyMethods } from '../http/app.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok, sendJson, type Reply } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { IM_MANAGE, permissionCode } from '../metadata/permission-codes.ts';
import type { StreamQuery } from '../streams/stream-contract.ts';
import type { Streams } from '../streams/streams.ts';
import { presentBinding, type BindingRequest, type ChannelBindings } from './channel-bindings.service.ts';
import type { InstantMessages, Taken } from './im.service.ts';
import {
  bindChannel,
  listChannels,
  MAX_BODY_BYTES,
  receiveMessage,
  streamConversation,
  unbindChannel,
} from './im.contracts.ts';

const MESSAGES = '/api/im/:channel/messages';
const CHANNELS = '/api/im/channels';
const ENVIRONMENTS = ['dev', 'staging', 'prod'];

/** Instant messages: what comes in is signed by its channel, everything else needs a token. Spec: "Other events and streams". */
export function imRoutes(
  gate: Gate,
  messages: InstantMessages,
  bindings: ChannelBindings,
  conversations: ConversationsService,
  streams: Streams,
  defaultEnvironment: string,
): Router {
  const router = Router();
  const manager = (request: Request): Promise<Actor> => gate.admitWith(request, IM_MANAGE);

  router.get(
    CHANNELS,
    access(IM_MANAGE),
    contract(listChannels),
    answer(async (request) => ok((await bindings.list(await manager(request))).map(presentBinding))),
  );
  router.all(CHANNELS, onlyMethods('GET'));
  router.put(
    `${CHANNELS}/:channel`,
    access(IM_MANAGE),
    contract(bindChannel),
    answer(async (request) => {
      const actor = await manager(request);
      const channel = String(request.params.channel);
      const asked = await readBody<BindingRequest>(request, bindChannel, (good, errors) =>
        bindings.check(actor, channel, good, errors),
      );
      return ok(presentBinding(await bindings.bind(actor, channel, asked)));
    }),
  );
  router.delete(
    `${CHANNELS}/:channel`,
    access(IM_MANAGE),
    contract(unbindChannel),
    answer(async (request) => {
      const channel = String(request.params.channel);
      await bindings.unbind(await manager(request), channel);
      return ok({ channel });
    }),
  );
  router.all(`${CHANNELS}/:channel`, onlyMethods('PUT', 'DELETE'));

  router.get(
    '/api/im/conversations/:id/stream',
    access(SIGNED_IN),
    contract(streamConversation),
    async (request, response) => {
      const { actor } = await gate.admit(request);
      const query = readQuery<StreamQuery & { channel?: string }>(request, streamConversation);
      const { channel, lastEventId } = query;
      const conversation = await messages.find(actor, String(request.params.id), channel);
      const reply = await conversations.newestReply(conversation.pid);
      await conversations.restore(conversation, reply);
      const recheck = (now: Actor): void => authorise(now, permissionCode.imRead(conversation.channel ?? ''));
      const from = positionBefore(reply?.streamId ?? null);
      const key = conversationKey(conversation.pid);
      await streams.serve(request, response, { key, actor, lastEventId, from, until: LAST_EVENTS, recheck });
    },
  );
  router.all('/api/im/conversations/:id/stream', onlyMethods('GET'));

  // The exact bytes are what is signed.
  router.post(
    MESSAGES,
    access(PUBLIC),
    contract(receiveMessage),
    express.raw({ type: () => true, limit: MAX_BODY_BYTES }),
    async (request, response, next) => {
      const taken = await messages.receive({
        environment: environmentOf(request, defaultEnvironment),
        channelCode: String(request.params.channel),
        headers: request.headers,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        address: request.ip,
        target: response,
        traceId: currentTraceId() ?? newTraceId(),
      });
      if (taken.kind === 'challenge') {
        const { challenge } = taken;
        // Slack looks for it at the top; the envelope beside it does no harm.
        return sendJson(response, 200, { code: '0', message: 'ok', data: { challenge }, challenge });
      }
      return answer(() => presentTaken(taken))(request, response, next);
    },
  );
  router.all(MESSAGES, onlyMethods('POST'));
  return router;
}

function presentTaken(taken: Exclude<Taken, { kind: 'challenge' }>): Reply {
  if (taken.kind === 'ignored') return ok(null, { message: 'ignored' });
  const { conversationId, replyPid } = taken;
  return ok({ conversationId, replyPid }, { status: 202, message: 'accepted' });
}

function environmentOf(request: Request, fallback: string): string {
  const named = request.get('X-Environment') ?? fallback;
  if (!ENVIRONMENTS.includes(named)) throw validationError({ 'X-Environment': 'must be one of dev, staging, prod' });
  return named;
}
