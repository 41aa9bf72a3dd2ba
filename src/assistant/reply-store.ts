import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager, PlatformOrm } from '../database/orm.ts';
import { newPid } from '../database/pid.ts';
import type { StoredError } from '../errors/failure.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import { deadline, turnOf } from './conversation-turns.ts';
import {
  ConfirmationEntity,
  ConversationEntity,
  MessageEntity,
  type Confirmation,
  type Conversation,
  type Message,
  type MessageStatus,
} from './conversation.entity.ts';
import { announce } from './reply-announcement.ts';
import { isOver } from './reply-events.ts';
import type { Step } from './step.ts';
import type { Proposal } from './tool-runner.ts';

/** A worker that is not heard of for longer than its workflow would wait for it is not coming back. */
const GENERATION_LIMIT_MS = 15 * 60_000;
/** How long a user may think about a command. */
const CONFIRMATION_LIMIT_MS = 15 * 60_000;
/** The workflow gives a confirmation up before anybody takes its turn away. */
const MARGIN_MS = 60_000;
/** A message in a channel looks this often whether it is its turn. */
const TURN_EVERY_MS = 500;

/** Another worker has taken the answer up, or it was deleted: whoever meets this stops without a word. */
export class Superseded extends Error {}

/** What has to happen in the transaction that ends an answer, and after it. */
export interface ReplyFollower {
  follow(em: PlatformEntityManager, conversation: Conversation, reply: Message): Promise<(() => Promise<void>) | null>;
}

/** An answer in this worker's hands. */
export interface Begun {
  readonly kind: 'begun';
  readonly conversation: Conversation;
  readonly reply: Message;
  /** The confirmations of its commands so far. */
  readonly confirmations: readonly Confirmation[];
  /** What was said before it, oldest first; the last one is the message to answer. */
  readonly history: readonly Message[];
}

export type Beginning =
  | Begun
  | { readonly kind: 'gone' }
  | { readonly kind: 'over'; readonly conversation: Conversation; readonly reply: Message }
  | { readonly kind: 'wait'; readonly status: MessageStatus; readonly waitMs: number };

/** So many messages are remembered in an answer. */
const HISTORY = 40;

/** The rows of answers, as the workers that make them read and write them. */
export class ReplyStore {
  readonly #orm: PlatformOrm;
  readonly #followers: readonly ReplyFollower[];

  constructor(orm: PlatformOrm, followers: readonly ReplyFollower[]) {
    this.#orm = orm;
    this.#followers = followers;
  }

  /** Takes an answer up, unless it has ended, waits for its user, or it is another one's turn. */
  begin(messagePid: string): Promise<Beginning> {
    return this.#orm.em.fork().transactional(async (em): Promise<Beginning> => {
      const known = await em.findOne(MessageEntity, { pid: messagePid });
      const where = { pid: known?.conversationPid ?? '' };
      const conversation = await em.findOne(ConversationEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const reply = conversation && (await em.findOne(MessageEntity, { pid: messagePid }, { refresh: true }));
      if (!reply) return { kind: 'gone' };
      if (isOver(reply)) return { kind: 'over', conversation, reply };
      if (!(await takeTurn(em, conversation, reply))) {
        // Whoever waits for its turn is alive.
        reply.expiresAt = deadline(GENERATION_LIMIT_MS);
        return { kind: 'wait', status: reply.status, waitMs: TURN_EVERY_MS };
      }
      const confirmations = await em.find(ConfirmationEntity, { messagePid });
      const waitMs = reply.stopRequested ? 0 : expire(confirmations);
      if (waitMs > 0) return { kind: 'wait', status: 'WAITING', waitMs };
      reply.status = 'RUNNING';
      reply.attempt = (reply.attempt ?? 0) + 1;
      reply.expiresAt = deadline(GENERATION_LIMIT_MS);
      const earlier = { conversationPid: conversation.pid, id: { $lt: reply.id } };
      const history = await em.find(MessageEntity, earlier, { orderBy: { id: 'desc' }, limit: HISTORY });
      return { kind: 'begun', conversation, reply, confirmations, history: history.reverse() };
    });
  }

  /** Makes the beginning of an answer known that had to wait for its turn. @throws SERVICE_UNAVAILABLE */
  async announce(streams: StreamWriter, { conversation, reply }: Begun): Promise<void> {
    if (!reply.streamId) await announce(this.#orm, streams, conversation, reply);
  }

  /** Whether the answer is to stop. @throws Superseded */
  async look({ pid, attempt }: Message): Promise<boolean> {
    const now = await this.#orm.em.fork().findOne(MessageEntity, { pid });
    if (!now || now.attempt !== attempt || isOver(now)) throw new Superseded();
    return now.stopRequested ?? false;
  }

  /** @throws Superseded */
  async saveSteps({ pid, attempt }: Message, steps: readonly Step[]): Promise<void> {
    const saved = await this.#orm.em.fork().nativeUpdate(MessageEntity, { pid, attempt }, { steps: [...steps] });
    if (saved === 0) throw new Superseded();
  }

  /** Asks for a command to be confirmed. The same call is asked for once. */
  async propose(reply: Message, callId: string, { commandCode, body, summary }: Proposal): Promise<Confirmation> {
    return this.#orm.em.fork().transactional(async (em) => {
      const known = await em.findOne(ConfirmationEntity, { messagePid: reply.pid, callId });
      if (known) return known;
      const asked = { messagePid: reply.pid, callId, commandCode, request: body, summary };
      const expiresAt = deadline(CONFIRMATION_LIMIT_MS);
      return em.create(ConfirmationEntity, { pid: newPid(), ...asked, status: 'OPEN', expiresAt });
    });
  }

  /** The answer waits for its user. @throws Superseded */
  async wait({ pid, attempt }: Message): Promise<void> {
    const expiresAt = deadline(CONFIRMATION_LIMIT_MS + MARGIN_MS);
    const saved = await this.#orm.em
      .fork()
      .nativeUpdate(MessageEntity, { pid, attempt }, { status: 'WAITING', expiresAt });
    if (saved === 0) throw new Superseded();
  }

  /**
   * Ends an answer, whichever worker's it is now (`attempt` null) or if it is still this one's.
   * @returns what the row says then, and what is to follow; null where there is no such answer
   */
  end(
    messagePid: string,
    attempt: number | null,
    { status, text, error = null }: { status: MessageStatus; text?: string; error?: StoredError | null },
  ): Promise<{ conversation: Conversation; reply: Message; follow: () => Promise<void> } | null> {
    return this.#orm.em.fork().transactional(async (em) => {
      const reply = await em.findOne(MessageEntity, { pid: messagePid }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const conversation = reply && (await em.findOne(ConversationEntity, { pid: reply.conversationPid }));
      if (!conversation) return null;
      if (attempt !== null && reply.attempt !== attempt) throw new Superseded();
      const steps: (() => Promise<void>)[] = [];
      if (!isOver(reply)) {
        Object.assign(reply, { status, error, finishedAt: new Date(), ...(text !== undefined && { text }) });
        conversation.updatedAt = new Date();
        for (const follower of this.#followers) {
          const step = await follower.follow(em, conversation, reply);
          if (step) steps.push(step);
        }
      }
      const follow = async (): Promise<void> => {
        for (const step of steps) await step();
      };
      return { conversation, reply, follow };
    });
  }
}

/** In a channel messages wait for each other; a user's own are refused before they get here. */
async function takeTurn(em: PlatformEntityManager, conversation: Conversation, reply: Message): Promise<boolean> {
  if (conversation.activeMessagePid === reply.pid) return true;
  if (await turnOf(em, conversation)) return false;
  const older = {
    conversationPid: conversation.pid,
    role: 'assistant',
    status: 'PENDING',
    id: { $lt: reply.id },
  } as const;
  if ((await em.count(MessageEntity, { ...older, expiresAt: { $gt: new Date() } })) > 0) return false;
  conversation.activeMessagePid = reply.pid;
  return true;
}

/** Closes what was thought about for too long. @returns for how many milliseconds the others may still be decided */
function expire(confirmations: readonly Confirmation[]): number {
  const open = confirmations.filter(({ status }) => status === 'OPEN');
  for (const one of open) if (one.expiresAt <= new Date()) one.status = 'EXPIRED';
  return Math.max(0, ...open.map(({ expiresAt }) => expiresAt.getTime() - Date.now()));
}
