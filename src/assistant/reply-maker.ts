import { authorise, type Actor } from '../auth/actor.ts';
import { isTransient } from '../database/failures.ts';
import { ApplicationError, unavailable } from '../errors/application-error.ts';
import { toStoredError } from '../errors/failure.ts';
import type { Logger } from '../logging/logger.ts';
import { withTrace } from '../logging/trace.ts';
import type { AssistantContent } from '../metadata/content.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { isAfter, parsePosition } from '../streams/stream-position.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import type { ChatState } from '../../workflows/contracts.ts';
import { DEFAULT_MAX_TURNS, MAX_CALLS_PER_TURN, MAX_REMEMBERED, MAX_TEXT } from './answer-limits.ts';
import type { Conversation, Message, MessageStatus } from './conversation.entity.ts';
import { actorOf, type Identities } from './identity.ts';
import {
  ProviderFailure,
  providerFor,
  tooLong,
  type Provider,
  type Providers,
  type Said,
  type Turn,
} from './provider.ts';
import { conversationKey, ending } from './reply-events.ts';
import { Superseded, type Begun, type ReplyStore } from './reply-store.ts';
import { ReplyText } from './reply-text.ts';
import { openCalls, textOf, type Step, type ToolCall, type ToolResult } from './step.ts';
import { systemPrompt } from './system-prompt.ts';
import { failureOf, type ToolRunner } from './tool-runner.ts';
import { toolboxOf } from './toolbox.ts';

const LOOK_EVERY_MS = 500;
const MAX_SHOWN_ARGUMENTS = 10_000;
/** After this the workflow looks by itself whether its user has decided. */
const DECISION_LOOK_MS = 5 * 60_000;

/** The user wants no more of it. */
class Stopped extends Error {}

/**
 * Makes answers, in a worker: turn by turn the provider finds words or asks for tools. Words go into the conversation's
 * stream, so any node can relay them; what tools gave is saved after each step, so another worker can go on.
 */
export class ReplyMaker {
  readonly #store: ReplyStore;
  readonly #identities: Identities;
  readonly #snapshots: SnapshotCache;
  readonly #tools: ToolRunner;
  readonly #providers: Providers;
  readonly #streams: StreamWriter;
  readonly #logger: Logger;

  constructor(
    store: ReplyStore,
    identities: Identities,
    snapshots: SnapshotCache,
    tools: ToolRunner,
    providers: Providers,
    streams: StreamWriter,
    logger: Logger,
  ) {
    this.#store = store;
    this.#identities = identities;
    this.#snapshots = snapshots;
    this.#tools = tools;
    this.#providers = providers;
    this.#streams = streams;
    this.#logger = logger;
  }

  /**
   * Makes an answer, or goes on with it. Whatever a provider does is an outcome.
   * @param signal this worker has to leave
   * @throws a passing fault of our own (Postgres or Redis is away): the answer is to be taken up again
   */
  async make(messagePid: string, signal: AbortSignal): Promise<ChatState> {
    const begun = await this.#store.begin(messagePid);
    if (begun.kind === 'gone') return stateOf('STOPPED');
    if (begun.kind === 'wait') return { status: begun.status, ended: false, waitMs: begun.waitMs };
    if (begun.kind === 'over') return this.#sayEnd(begun.conversation, begun.reply);
    return withTrace(begun.reply.traceId, () => this.#carryOut(begun, signal));
  }

  /** Ends an answer that no worker could make. @throws a passing fault */
  async giveUp(messagePid: string): Promise<ChatState> {
    const message = 'The answer was interrupted and could not be finished';
    const error = toStoredError(new ApplicationError('SERVICE_UNAVAILABLE', { message }));
    const ended = await this.#store.end(messagePid, null, { status: 'FAILED', error });
    return ended ? this.#sayEnd(ended.conversation, ended.reply) : stateOf('STOPPED');
  }

  async #carryOut(begun: Begun, leaving: AbortSignal): Promise<ChatState> {
    const { conversation, reply } = begun;
    await this.#store.announce(this.#streams, begun);
    const sofar = await this.#said(conversation, reply);
    const text = new ReplyText(this.#streams, conversationKey(conversation.pid), reply.pid, sofar);
    const stop = new AbortController();
    const watch = setInterval(() => void this.#watch(reply, stop), LOOK_EVERY_MS);
    const signal = AbortSignal.any([stop.signal, leaving]);
    try {
      if (reply.stopRequested) throw new Stopped();
      const isDone = await this.#converse(begun, text, signal);
      await text.flush();
      if (isDone) return await this.#end(begun, 'COMPLETED', text);
      await this.#store.wait(reply);
      return { status: 'WAITING', ended: false, waitMs: DECISION_LOOK_MS };
    } catch (thrown) {
      if (leaving.aborted && !stop.signal.aborted) {
        // Another worker goes on behind what has been said.
        await text.flush();
        throw unavailable('worker', thrown);
      }
      return await this.#endEarly(begun, text, stop.signal.aborted ? stop.signal.reason : thrown);
    } finally {
      clearInterval(watch);
    }
  }

  async #watch(reply: Message, stop: AbortController): Promise<void> {
    try {
      if (await this.#store.look(reply)) stop.abort(new Stopped());
    } catch (error) {
      if (error instanceof Superseded) stop.abort(error);
    }
  }

  /** False: a command waits to be confirmed. */
  async #converse(begun: Begun, text: ReplyText, signal: AbortSignal): Promise<boolean> {
    const { conversation, reply, history } = begun;
    const { actor, assistant } = await this.#setting(conversation);
    const toolbox = toolboxOf(actor, assistant, conversation.channel === null);
    const provider = providerFor(assistant, this.#providers);
    const setting = { system: systemPrompt(assistant, toolbox, new Date()), model: assistant.model ?? null, signal };
    const said = remembered(history);
    let steps: readonly Step[] = reply.steps;
    for (;;) {
      for (const call of openCalls(steps)) {
        signal.throwIfAborted();
        const result = await this.#resultOf(begun, actor, assistant, call, text);
        if (!result) return false;
        await text.append(toolEvent(reply, call, result));
        steps = [...steps, { kind: 'result', callId: call.id, result }];
        await this.#store.saveSteps(reply, steps);
      }
      const turns = steps.filter(({ kind }) => kind === 'calls').length;
      const isLast = turns >= (assistant.maxTurns ?? DEFAULT_MAX_TURNS);
      const before = textOf(steps).length;
      const partial = text.text.slice(before).trimStart();
      const turn = { ...setting, said, steps, partial, toolbox: isLast ? null : toolbox };
      const calls = await this.#speak(provider, turn, text);
      if (calls.length === 0) return true;
      const named = calls
        .slice(0, MAX_CALLS_PER_TURN)
        .map((call, index) => ({ id: `call_${turns}_${index}`, ...call }));
      steps = [...steps, { kind: 'calls', text: text.text.slice(before), calls: named }];
      await this.#store.saveSteps(reply, steps);
    }
  }

  async #setting(conversation: Conversation): Promise<{ actor: Actor; assistant: AssistantContent }> {
    const identity = await this.#identities.of(conversation);
    if (!identity) throw new ApplicationError('FORBIDDEN', { message: 'Whoever asked may not act here any more' });
    const actor = actorOf(identity, await this.#snapshots.current(conversation.environment));
    const { assistantCode } = conversation;
    // In a channel it is the binding that lets the assistant speak.
    if (conversation.channel === null) authorise(actor, permissionCode.assistantUse(assistantCode));
    return { actor, assistant: actor.metadata.assistant(assistantCode) };
  }

  async #speak(provider: Provider, turn: Turn, text: ReplyText): Promise<Omit<ToolCall, 'id'>[]> {
    const calls: Omit<ToolCall, 'id'>[] = [];
    let isFirst = turn.partial === '' && text.text !== '' && !/\s$/.test(text.text);
    for await (const piece of provider.answer(turn)) {
      turn.signal.throwIfAborted();
      if (piece.kind === 'call') calls.push(piece.call);
      else {
        // What is said after tools begins a paragraph.
        text.add(isFirst ? `\n\n${piece.text}` : piece.text);
        isFirst = false;
        if (text.text.length > MAX_TEXT) throw new ProviderFailure(tooLong());
      }
    }
    if (calls.length === 0 && text.text.trim() === '') throw new ProviderFailure(unavailable('The AI provider'));
    return calls;
  }

  /** Null: the user has to confirm it first. */
  async #resultOf(
    { conversation, reply, confirmations }: Begun,
    actor: Actor,
    assistant: AssistantContent,
    call: ToolCall,
    text: ReplyText,
  ): Promise<ToolResult | null> {
    if (call.name !== 'run_command') return this.#tools.run(actor, assistant, call);
    const known = confirmations.find(({ callId }) => callId === call.id);
    if (known?.status === 'CONFIRMED') {
      const { pid, commandCode, request } = known;
      return this.#tools.execute(actor, commandCode, request, `assistant:${pid}`, reply.traceId);
    }
    if (known && known.status !== 'OPEN') {
      const message =
        known.status === 'DECLINED'
          ? 'The user has declined; the command was not run'
          : 'The user has not confirmed in time; the command was not run';
      return { ok: false, code: known.status, message };
    }
    try {
      if (conversation.channel !== null) {
        throw new ApplicationError('FORBIDDEN', { message: 'Nobody can confirm commands in a channel' });
      }
      const proposal = this.#tools.propose(actor, assistant, call);
      const { pid: confirmationId } = await this.#store.propose(reply, call.id, proposal);
      const { commandCode, body, summary } = proposal;
      const { payload = {}, ...rest } = body;
      const data = { confirmationId, commandCode, payload, ...rest, summary };
      await text.append({ event: 'confirm', data, dedupeId: `${reply.pid}:confirm:${call.id}` });
      return null;
    } catch (error) {
      if (!(error instanceof ApplicationError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
      return failureOf(error);
    }
  }

  async #end({ reply }: Begun, status: MessageStatus, text: ReplyText, error?: ApplicationError): Promise<ChatState> {
    const stored = error ? toStoredError(error) : null;
    const ended = await this.#store.end(reply.pid, reply.attempt ?? 0, { status, text: text.text, error: stored });
    if (!ended) return stateOf('STOPPED');
    const state = await this.#sayEnd(ended.conversation, ended.reply);
    await ended.follow().catch((cause: unknown) => {
      this.#logger.warn({ err: cause, messagePid: reply.pid }, 'what follows an answer was left for later');
    });
    return state;
  }

  async #endEarly(begun: Begun, text: ReplyText, error: unknown): Promise<ChatState> {
    const { pid: messagePid } = begun.reply;
    if (error instanceof Superseded) return stateOf('STOPPED');
    if (error instanceof Stopped) {
      await text.flush();
      return this.#end(begun, 'STOPPED', text);
    }
    if (error instanceof ProviderFailure) {
      this.#logger.warn({ err: error.cause ?? error, messagePid }, 'the AI provider failed');
      await text.flush();
      return this.#end(begun, 'FAILED', text, error.error);
    }
    if (isTransient(error)) throw error;
    if (error instanceof ApplicationError) return this.#end(begun, 'FAILED', text, error);
    this.#logger.error({ err: error, messagePid }, 'an answer failed for an unknown reason');
    const unknown = new ApplicationError('INTERNAL_ERROR', { data: { traceId: begun.reply.traceId }, cause: error });
    return this.#end(begun, 'FAILED', text, unknown);
  }

  async #sayEnd(conversation: Conversation, reply: Message): Promise<ChatState> {
    await this.#streams.append(conversationKey(conversation.pid), ending(conversation, reply));
    return stateOf(reply.status);
  }

  /** What readers have got of an answer that is taken up again. */
  async #said(conversation: Conversation, reply: Message): Promise<string> {
    const saved = textOf(reply.steps);
    const from = parsePosition(reply.streamId ?? '');
    if ((reply.attempt ?? 0) <= 1 || !from) return saved;
    const entries = await this.#streams.read(conversationKey(conversation.pid));
    const streamed = entries
      .filter(({ event, position }) => event === 'message.delta' && isAfter(position, from))
      .map(({ data }) => (JSON.parse(data) as { text: string }).text)
      .join('');
    return streamed.length >= saved.length ? streamed : saved;
  }
}

function stateOf(status: MessageStatus): ChatState {
  return { status, ended: true, waitMs: 0 };
}

function toolEvent({ pid }: Message, { id, name, arguments: given }: ToolCall, result: ToolResult) {
  const found = result.ok ? (result.data as { total?: number } | null)?.total : undefined;
  const outcome = result.ok ? { ok: true, ...(found !== undefined && { total: found }) } : result;
  return {
    event: 'tool',
    data: { callId: id, name, arguments: parsed(given), ...outcome },
    dedupeId: `${pid}:tool:${id}`,
  };
}

/** The newest of it. */
function remembered(history: readonly Message[]): Said[] {
  const said: Said[] = [];
  let length = 0;
  for (const { role, text } of history.toReversed()) {
    length += text.length;
    if (length > MAX_REMEMBERED && said.length > 0) break;
    if (text !== '') said.unshift({ role, text });
  }
  return said;
}

function parsed(given: string): unknown {
  if (given.length > MAX_SHOWN_ARGUMENTS) return given.slice(0, MAX_SHOWN_ARGUMENTS);
  try {
    return JSON.parse(given || '{}');
  } catch {
    return given;
  }
}
