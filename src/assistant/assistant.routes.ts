import { Router, type Request, type Response } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../errors/application-error.ts';
import { access, SIGNED_IN } from '../http/access.ts';
import { contract } from '../http/contract.ts';
import { onlyMethods } from '../http/app.ts';
import { readJsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { Streams } from '../streams/streams.ts';
import { parseChat, parseDecision } from './chat-requests.ts';
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
  ): Promise<void> => {
    const recheck = async (now: Actor): Promise<void> => {
      authorise(now, permissionCode.assistantUse(conversation.assistantCode));
      await conversations.find(now, conversation.pid);
    };
    const key = conversationKey(conversation.pid);
    await streams.serve(request, response, { key, actor, from: positionBefore(streamId), until: LAST_EVENTS, recheck });
  };

  router.post(
    CHAT,
    access(permissionCode.assistantUse('{assistant}')),
    contract(contracts.chat),
    async (request, response) => {
      const { actor } = await gate.admit(request);
      const code = admitted(actor, request);
      const { conversationId, message } = parseChat(await readJsonBody(request));
      const traceId = currentTraceId() ?? newTraceId();
      const { conversation, reply } = await conversations.say(actor, code, conversationId, message, traceId);
      await relay(request, response, actor, conversation, reply.streamId ?? null);
    },
  );
  router.get(
    CHAT,
    access(permissionCode.assistantUse('{assistant}')),
    contract(contracts.reattachChat),
    async (request, response) => {
      const { actor } = await gate.admit(request);
      const code = admitted(actor, request);
      const { conversationId } = request.query;
      if (typeof conversationId !== 'string') throw validationError({ conversationId: 'is required' });
      const conversation = await conversations.find(actor, conversationId, code);
      const reply = await conversations.newestReply(conversation.pid);
      await conversations.restore(conversation, reply);
      await relay(request, response, actor, conversation, reply?.streamId ?? null);
    },
  );
  router.all(CHAT, onlyMethods('GET', 'POST'));

  router.get(
    CONVERSATIONS,
    access(SIGNED_IN),
    contract(contracts.listConversations),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const errors: FieldErrors = {};
      const { pageNum, pageSize } = parsePaging(request.query, errors);
      throwIfInvalid(errors);
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
      const { confirmationId, confirmed } = parseDecision(await readJsonBody(request));
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
