/** Tells the relay of this process that events may be waiting in the outbox. */
export class OutboxSignal {
  readonly #listeners: ((own: boolean) => void)[] = [];

  /** @param listener `own`: this process has written the events */
  subscribe(listener: (own: boolean) => void): void {
    this.#listeners.push(listener);
  }

  notify(own: boolean): void {
    for (const listener of this.#listeners) listener(own);
  }
}
