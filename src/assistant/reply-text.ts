import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '../database/failures.ts';
import type { StreamKey } from '../streams/stream-key.ts';
import type { StreamEvent, StreamWriter } from '../streams/stream-writer.ts';

/** What comes within this time leaves as one event: a reader sees no difference, the store does. */
const GATHER_MS = 40;
const TRIES = 20;
const RETRY_MS = 250;

/**
 * The text of one answer on its way into the conversation's stream. Each piece is named by its place in the text, so a piece
 * that is sent again, by this worker or the next, is in the stream once.
 */
export class ReplyText {
  readonly #writer: StreamWriter;
  readonly #key: StreamKey;
  readonly #messagePid: string;
  /** Everything that has been said, whether it has left or not. */
  text: string;
  #sent: number;
  #sending: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;

  /** @param sofar what the stream has already */
  constructor(writer: StreamWriter, key: StreamKey, messagePid: string, sofar: string) {
    this.#writer = writer;
    this.#key = key;
    this.#messagePid = messagePid;
    this.text = sofar;
    this.#sent = sofar.length;
  }

  /** @throws what an earlier piece could not be sent for */
  add(text: string): void {
    if (this.#failure) throw this.#failure.error;
    this.text += text;
    this.#sending ??= this.#gather();
  }

  /** Resolves when everything has left. @throws SERVICE_UNAVAILABLE */
  async flush(): Promise<void> {
    while (this.#sending) await this.#sending;
    if (this.#failure) throw this.#failure.error;
  }

  /** Appends another event, behind all text before it. @throws SERVICE_UNAVAILABLE */
  async append(event: StreamEvent): Promise<void> {
    await this.flush();
    await this.#send(event);
  }

  async #gather(): Promise<void> {
    try {
      await sleep(GATHER_MS);
      while (this.#sent < this.text.length) {
        const offset = this.#sent;
        const piece = this.text.slice(offset);
        const dedupeId = `${this.#messagePid}:${offset}`;
        await this.#send({ event: 'message.delta', data: { text: piece }, dedupeId });
        this.#sent = offset + piece.length;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#sending = null;
    }
  }

  /** What may have arrived is sent again as it was: its name tells. */
  async #send(event: StreamEvent): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#writer.append(this.#key, event);
        return;
      } catch (error) {
        if (!isTransient(error) || tries === TRIES) throw error;
        await sleep(RETRY_MS);
      }
    }
  }
}
