import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { StreamKey } from '../../../platform/streams/stream-entry.ts';
import type { StreamEvent, StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { TEXT_BATCH_MS, TEXT_RETRY_MS, TEXT_TRIES } from '../assistant.limits.ts';

/**
 * Writes the text of a reply to its conversation's stream. The deduplication id of an event is its offset in
 * the text, so text that a worker sends again is in the stream once.
 */
export class ReplyText {
  readonly #writer: StreamWriter;
  readonly #key: StreamKey;
  readonly #messagePid: string;
  /** All text, sent or not. */
  text: string;
  #sent: number;
  #sending: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;

  /** @param sent the text that the stream already has */
  constructor(writer: StreamWriter, key: StreamKey, messagePid: string, sent: string) {
    this.#writer = writer;
    this.#key = key;
    this.#messagePid = messagePid;
    this.text = sent;
    this.#sent = sent.length;
  }

  /** @throws the error of earlier text that could not be sent */
  add(text: string): void {
    if (this.#failure) throw this.#failure.error;
    this.text += text;
    this.#sending ??= this.#sendBatches();
  }

  /** Resolves when all text is sent. @throws SERVICE_UNAVAILABLE */
  async flush(): Promise<void> {
    while (this.#sending) await this.#sending;
    if (this.#failure) throw this.#failure.error;
  }

  /** Appends another event after all text. @throws SERVICE_UNAVAILABLE */
  async append(event: StreamEvent): Promise<void> {
    await this.flush();
    await this.#send(event);
  }

  async #sendBatches(): Promise<void> {
    try {
      await sleep(TEXT_BATCH_MS);
      while (this.#sent < this.text.length) {
        const offset = this.#sent;
        const batch = this.text.slice(offset);
        const dedupeId = `${this.#messagePid}:${offset}`;
        await this.#send({ event: 'message.delta', data: { text: batch }, dedupeId });
        this.#sent = offset + batch.length;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#sending = null;
    }
  }

  /** Repeats the same event on transient errors: its deduplication id keeps it in the stream once. */
  async #send(event: StreamEvent): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#writer.append(this.#key, event);
        return;
      } catch (error) {
        if (!isTransient(error) || tries === TEXT_TRIES) throw error;
        await sleep(TEXT_RETRY_MS);
      }
    }
  }
}
