import { systemPrompt } from './prompter.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { jsonIn } from '../../../foundation/validation/json-text.ts';
import { actorOf, authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { StreamEvent } from '../../../platform/streams/stream-writer.ts';
import { ASSISTANT, type AssistantContent } from '../assistant-type.ts';
import { DEFAULT_MAX_TURNS, MAX_REMEMBERED, MAX_SHOWN_ARGUMENTS, MAX_TEXT } from '../assistant.limits.ts';
import type { Conversation, Message } from '../conversations/conversation.entity.ts';
import type { IdentityResolver } from '../conversations/identity-resolver.ts';
import {
  ProviderFailure,
  providerUnavailable,
  providerFor,
  replyTooLong,
  type ChatMessage,
  type Provider,
  type Providers,
  type Turn,
} from '../providers/provider.ts';
import { failedResult, type ToolRunner } from '../tools/tool-runner.ts';
import { toolboxOf } from '../tools/toolbox.ts';
import type { ReplyStore, StartedReply } from './reply-store.ts';
import type { ReplyText } from './reply-text.ts';
import {
  numberCalls,
  pendingCalls,
  textOf,
  type ToolLogEntry,
  type ToolCall,
  type ToolResult,
} from '../tools/tool-call.ts';
import type { Template } from '../../../foundation/i18n/text.ts';

/**
 * Generates the text of a reply turn by turn: the provider writes text or calls tools. Text goes to the
 * conversation's stream, so any node can relay it. Tool results are saved after each step, so another worker
 * can resume.
 */
export class ReplyGenerator {
  readonly #store: ReplyStore;
  readonly #identities: IdentityResolver;
  readonly #snapshots: SnapshotCache;
  readonly #tools: ToolRunner;
  readonly #providers: Providers;

  constructor(
    store: ReplyStore,
    identities: IdentityResolver,
    snapshots: SnapshotCache,
    tools: ToolRunner,
    providers: Providers,
  ) {
    this.#store = store;
    this.#identities = identities;
    this.#snapshots = snapshots;
    this.#tools = tools;
    this.#providers = providers;
  }

  /** @returns false if a command waits for its confirmation */
  async generate(started: StartedReply, text: ReplyText, signal: AbortSignal): Promise<boolean> {
    const { conversation, reply, history } = started;
    const { actor, assistant } = await this.#authorize(conversation);
    const toolbox = toolboxOf(actor, assistant, conversation.channel === null);
    const provider = providerFor(assistant, this.#providers);
    const system = systemPrompt(assistant, toolbox, new Date());
    const { model = null, maxTurns = DEFAULT_MAX_TURNS } = assistant;
    const messages = newestMessages(history);
    let toolLog: readonly ToolLogEntry[] = reply.toolLog;
    for (;;) {
      for (const call of pendingCalls(toolLog)) {
        signal.throwIfAborted();
        const result = await this.#callTool(started, actor, assistant, call, text);
        if (!result) return false;
        await text.append(toolEvent(reply, call, result));
        toolLog = [...toolLog, { kind: 'result', callId: call.id, result }];
        await this.#store.saveToolLog(reply, toolLog);
      }
      const turns = toolLog.filter(({ kind }) => kind === 'calls').length;
      const start = textOf(toolLog).length;
      const partial = text.text.slice(start).trimStart();
      const turn = { system, messages, toolLog, partial, toolbox: turns >= maxTurns ? null : toolbox, model, signal };
      const calls = await this.#runTurn(provider, turn, text);
      if (calls.length === 0) return true;
      toolLog = [...toolLog, { kind: 'calls', text: text.text.slice(start), calls: numberCalls(calls, turns) }];
      await this.#store.saveToolLog(reply, toolLog);
    }
  }

  async #authorize(conversation: Conversation): Promise<{ actor: Actor; assistant: AssistantContent }> {
    const identity = await this.#identities.resolve(conversation);
    if (!identity) throw new ApplicationError('FORBIDDEN', { message: 'Whoever asked may not act here any more' });
    const actor = actorOf(identity, await this.#snapshots.current(conversation.environment));
    const { assistantCode } = conversation;
    // In a channel, the binding permits the use of the assistant.
    if (conversation.channel === null) authorize(actor, permissionCode.assistantUse(assistantCode));
    return { actor, assistant: actor.metadata.get(ASSISTANT, assistantCode) };
  }

  async #runTurn(provider: Provider, turn: Turn, text: ReplyText): Promise<Omit<ToolCall, 'id'>[]> {
    const calls: Omit<ToolCall, 'id'>[] = [];
    // Text after tool calls begins a paragraph.
    let separator = turn.partial === '' && text.text !== '' && !/\s$/.test(text.text) ? '\n\n' : '';
    for await (const chunk of provider.complete(turn)) {
      turn.signal.throwIfAborted();
      if (chunk.kind === 'call') calls.push(chunk.call);
      else {
        text.add(separator + chunk.text);
        separator = '';
        if (text.text.length > MAX_TEXT) throw new ProviderFailure(replyTooLong());
      }
    }
    if (calls.length === 0 && text.text.trim() === '') throw new ProviderFailure(providerUnavailable());
    return calls;
  }

  /** @returns null if the user has to confirm the call first */
  async #callTool(
    { conversation, reply, confirmations }: StartedReply,
    actor: Actor,
    assistant: AssistantContent,
    call: ToolCall,
    text: ReplyText,
  ): Promise<ToolResult | null> {
    if (!this.#tools.needsConfirmation(call)) return this.#tools.run(actor, assistant, call);
    const known = confirmations.find(({ callId }) => callId === call.id);
    if (known?.status === 'CONFIRMED') {
      const { pid, commandCode, request } = known;
      return this.#tools.execute(actor, commandCode, request, `assistant:${pid}`, reply.traceId);
    }
    if (known && known.status !== 'OPEN') {
      const message: Template =
        known.status === 'DECLINED'
          ? 'The user has declined; the command was not run'
          : 'The user has not confirmed in time; the command was not run';
      return { ok: false, code: known.status, message };
    }
    try {
      if (conversation.channel !== null) {
        throw new ApplicationError('FORBIDDEN', { message: 'Nobody can confirm commands in a channel' });
      }
      const proposal = await this.#tools.propose(actor, assistant, call);
      const { pid: confirmationId } = await this.#store.requestConfirmation(reply, call.id, proposal);
      const { commandCode, body, summary } = proposal;
      const { payload = {}, ...rest } = body;
      const data = { confirmationId, commandCode, payload, ...rest, summary };
      await text.append({ event: 'confirm', data, dedupeId: `${reply.pid}:confirm:${call.id}` });
      return null;
    } catch (error) {
      if (!(error instanceof ApplicationError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
      return failedResult(error);
    }
  }
}

function toolEvent({ pid }: Message, { id, name, arguments: json }: ToolCall, result: ToolResult): StreamEvent {
  const total = result.ok ? (result.data as { total?: number } | null)?.total : undefined;
  const outcome = result.ok ? { ok: true, ...(total !== undefined && { total }) } : result;
  const data = { callId: id, name, arguments: shownArguments(json), ...outcome };
  return { event: 'tool', data, dedupeId: `${pid}:tool:${id}` };
}

/** The newest messages that fit into what a provider receives. */
function newestMessages(history: readonly Message[]): ChatMessage[] {
  const newest: ChatMessage[] = [];
  let length = 0;
  for (const { role, text } of history.toReversed()) {
    length += text.length;
    if (length > MAX_REMEMBERED && newest.length > 0) break;
    if (text !== '') newest.unshift({ role, text });
  }
  return newest;
}

function shownArguments(json: string): unknown {
  if (json.length > MAX_SHOWN_ARGUMENTS) return json.slice(0, MAX_SHOWN_ARGUMENTS);
  return jsonIn(json || '{}') ?? json;
}
