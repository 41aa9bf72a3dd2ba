import { Router, type Request, type Response } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { access, SIGNED_IN } from '../http/access.ts';
import { contract } from '../http/contract.ts';
import { onlyMethods } from '../http/app.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { StreamQuery } from '../streams/stream-contract.ts';
import type { Streams } from '../streams/streams.ts';
import type { Chat, Decision } from './chat-requests.ts';
import type { Conversation } from './conversation.entity.ts';
import type { ConversationsService } from './conversations.service.ts';
import { presentConversation, presentTranscript } from './present-conversation.ts';
import { conversationKey, LAST_EVENTS, positionBefore } from './reply-events.ts';
import * as contracts from './assistant.contracts.ts';

const CONVERSATIONS = '/api/ai/conversations';
const CHAT = '/api/ai/:assistant/chat/stream';

/** Spec: "Endpoints", `/api/ai/<assistant>/chat/stream`. Conversations belong to the user who began them. */
export function assistantRoutes(gate: Gate, conversations: ConversationsService, streams: Streams): Router {
  const router = Router();

  /** Relays a conversation from its newest answer on, until that ends. */
  const relay = async (
    request: Request,
    response: Response,
    actor: Actor,
    conversation: Conversation,
    streamId: string | null,
    { lastEventId }: StreamQuery,
  ): Promise<void> => {
    const recheck = async (now: Actor): Promise<void> => {
      authorise(now, permissionCode.assistantUse(conversation.assistantCode));
      await conversations.find(now, conversation.pid);
    };
    const key = conversationKey(conversation.pid);
    const from = positionBefore(streamId);
    await streams.serve(request, response, { key, actor, lastEventId, from, until: LAST_EVENTS, recheck });
  };

  router.post(
    CHAT,
    access(permissionCode.assistantUse('{assistant}')),
    contract(contracts.chat),
    async (request, response) => {
      const { actor } = await gate.admit(request);
      const code = admitted(actor, request);
      const query = readQuery<StreamQuery>(request, contracts.chat);
      const { conversationId, message } = await readBody<Chat>(request, contracts.chat);
      const traceId = currentTraceId() ?? newTraceId();
      const { conversation, reply } = await conversations.say(actor, code, conversationId, message, traceId);
      await relay(request, response, actor, conversation, reply.streamId ?? null, query);
    },
  );
  router.get(
    CHAT,
    access(permissionCode.assistantUse('{assistant}')),
    contract(contracts.reattachChat),
    async (request, response) => {
      const { actor } = await gate.admit(request);
      const code = admitted(actor, request);
      const query = readQuery<StreamQuery & { conversationId: string }>(request, contracts.reattachChat);
      const conversation = await conversations.find(actor, query.conversationId, code);
      const reply = await conversations.newestReply(conversation.pid);
      await conversations.restore(conversation, reply);
      await relay(request, response, actor, conversation, reply?.streamId ?? null, query);
    },
  );
  router.all(CHAT, onlyMethods('GET', 'POST'));

  router.get(
    CONVERSATIONS,
    access(SIGNED_IN),
    contract(contracts.listConversations),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const { pageNum, pageSize } = readQuery<Paging>(request, contracts.listConversations);
      const [found, total] = await conversations.list(actor, pageNum, pageSize);
      return ok({ records: found.map(presentConversation), total, pageNum, pageSize });
    }),
  );
  router.all(CONVERSATIONS, onlyMethods('GET'));

  router.get(
    `${CONVERSATIONS}/:id`,
    access(SIGNED_IN),
    contract(contracts.getConversation),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      return ok(presentTranscript(await conversations.read(actor, String(request.params.id))));
    }),
  );
  router.delete(
    `${CONVERSATIONS}/:id`,
    access(SIGNED_IN),
    contract(contracts.deleteConversation),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const conversationId = String(request.params.id);
      await conversations.delete(actor, conversationId);
      return ok({ conversationId });
    }),
  );
  router.all(`${CONVERSATIONS}/:id`, onlyMethods('GET', 'DELETE'));

  router.post(
    `${CONVERSATIONS}/:id/confirm`,
    access(SIGNED_IN),
    contract(contracts.confirm),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const { confirmationId, confirmed } = await readBody<Decision>(request, contracts.confirm);
      const { status } = await conversations.decide(actor, String(request.params.id), confirmationId, confirmed);
      return ok({ confirmationId, status });
    }),
  );
  router.all(`${CONVERSATIONS}/:id/confirm`, onlyMethods('POST'));

  router.post(
    `${CONVERSATIONS}/:id/stop`,
    access(SIGNED_IN),
    contract(contracts.stop),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const conversationId = String(request.params.id);
      await conversations.stop(actor, conversationId);
      return ok({ conversationId });
    }),
  );
  router.all(`${CONVERSATIONS}/:id/stop`, onlyMethods('POST'));
  return router;
}

/** The assistant that a request is for. @throws FORBIDDEN, NOT_FOUND */
function admitted(actor: Actor, request: Request): string {
  const code = String(request.params.assistant);
  authorise(actor, permissionCode.assistantUse(code));
  actor.metadata.assistant(code);
  return code;
}
