import type { ChatState } from '../../../../workflows/contracts.ts';
import { isTransient } from '../../../foundation/database/failures.ts';
import { ApplicationError, unavailable } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import { isAfter, parsePosition } from '../../../platform/streams/stream-entry.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { CONFIRMATION_POLL_MS, STOP_POLL_MS } from '../assistant.limits.ts';
import type { Conversation, Message, MessageStatus } from '../conversations/conversation.entity.ts';
import { replyInterrupted } from '../conversations/exchange.ts';
import { ProviderFailure } from '../providers/provider.ts';
import { conversationKey, endEvent } from '../conversations/reply-events.ts';
import type { ReplyGenerator } from './reply-generator.ts';
import { Superseded, type ReplyStore, type StartedReply } from './reply-store.ts';
import { ReplyText } from './reply-text.ts';
import { textOf } from '../tools/tool-call.ts';

/** The user has stopped the reply. */
class Stopped extends Error {}

/** Makes replies in a worker, or resumes those of another worker, and records how they end. */
export class ReplyMaker {
  readonly #store: ReplyStore;
  readonly #generator: ReplyGenerator;
  readonly #streams: StreamWriter;
  readonly #logger: Logger;

  constructor(store: ReplyStore, generator: ReplyGenerator, streams: StreamWriter, logger: Logger) {
    this.#store = store;
    this.#generator = generator;
    this.#streams = streams;
    this.#logger = logger;
  }

  /**
   * Makes or resumes a reply. A failure of the provider is an outcome of the reply.
   * @param leaving aborts when this worker stops
   * @throws a transient error of Postgres or Redis: the reply has to be resumed
   */
  async make(messagePid: string, leaving: AbortSignal): Promise<ChatState> {
    const started = await this.#store.start(messagePid);
    if (started.kind === 'deleted') return finalState('STOPPED');
    if (started.kind === 'waiting') return { status: started.status, ended: false, waitMs: started.waitMs };
    if (started.kind === 'ended') return this.#publishEnd(started.conversation, started.reply);
    const { conversation, reply } = started;
    const context = { traceId: reply.traceId, tenantId: conversation.tenantId };
    return withLogContext(context, () => this.#run(started, leaving));
  }

  /** Ends a reply that no worker could make. @throws a transient error */
  async giveUp(messagePid: string): Promise<ChatState> {
    const error = toStoredError(replyInterrupted());
    const ended = await this.#store.end(messagePid, null, { status: 'FAILED', error });
    return ended ? this.#publishEnd(ended.conversation, ended.reply) : finalState('STOPPED');
  }

  async #run(started: StartedReply, leaving: AbortSignal): Promise<ChatState> {
    const { conversation, reply } = started;
    await this.#store.announce(this.#streams, started);
    const published = await this.#publishedText(conversation, reply);
    const text = new ReplyText(this.#streams, conversationKey(conversation.pid), reply.pid, published);
    const stop = new AbortController();
    const poll = setInterval(() => void this.#checkStop(reply, stop), STOP_POLL_MS);
    const signal = AbortSignal.any([stop.signal, leaving]);
    try {
      if (reply.stopRequested) throw new Stopped();
      const isComplete = await this.#generator.generate(started, text, signal);
      await text.flush();
      if (isComplete) return await this.#end(started, 'COMPLETED', text);
      await this.#store.markWaiting(reply);
      return { status: 'WAITING', ended: false, waitMs: CONFIRMATION_POLL_MS };
    } catch (thrown) {
      if (leaving.aborted && !stop.signal.aborted) {
        // Another worker continues after this text.
        await text.flush();
        throw unavailable('worker', thrown);
      }
      return await this.#endEarly(started, text, stop.signal.aborted ? stop.signal.reason : thrown);
    } finally {
      clearInterval(poll);
    }
  }

  async #checkStop(reply: Message, stop: AbortController): Promise<void> {
    try {
      if (await this.#store.isStopRequested(reply)) stop.abort(new Stopped());
    } catch (error) {
      if (error instanceof Superseded) stop.abort(error);
    }
  }

  async #end(
    { reply }: StartedReply,
    status: MessageStatus,
    text: ReplyText,
    error?: ApplicationError,
  ): Promise<ChatState> {
    const stored = error ? toStoredError(error) : null;
    const ended = await this.#store.end(reply.pid, reply.attempt ?? 0, { status, text: text.text, error: stored });
    if (!ended) return finalState('STOPPED');
    const state = await this.#publishEnd(ended.conversation, ended.reply);
    await ended.afterCommit?.().catch((cause: unknown) => {
      this.#logger.warn({ err: cause, messagePid: reply.pid }, 'the delivery of a reply is left to the scheduler');
    });
    return state;
  }

  async #endEarly(started: StartedReply, text: ReplyText, error: unknown): Promise<ChatState> {
    const { pid: messagePid } = started.reply;
    if (error instanceof Superseded) return finalState('STOPPED');
    if (error instanceof Stopped) {
      await text.flush();
      return this.#end(started, 'STOPPED', text);
    }
    if (error instanceof ProviderFailure) {
      this.#logger.warn({ err: error.cause ?? error, messagePid }, 'the AI provider failed');
      await text.flush();
      return this.#end(started, 'FAILED', text, error.error);
    }
    if (isTransient(error)) throw error;
    if (error instanceof ApplicationError) return this.#end(started, 'FAILED', text, error);
    this.#logger.error({ err: error, messagePid }, 'a reply failed with an unexpected error');
    const { traceId } = started.reply;
    return this.#end(
      started,
      'FAILED',
      text,
      new ApplicationError('INTERNAL_ERROR', { data: { traceId }, cause: error }),
    );
  }

  async #publishEnd(conversation: Conversation, reply: Message): Promise<ChatState> {
    await this.#streams.append(conversationKey(conversation.pid), endEvent(conversation, reply));
    return finalState(reply.status);
  }

  /** The text that readers already have of a resumed reply. */
  async #publishedText(conversation: Conversation, reply: Message): Promise<string> {
    const saved = textOf(reply.toolLog);
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

function finalState(status: MessageStatus): ChatState {
  return { status, ended: true, waitMs: 0 };
}
