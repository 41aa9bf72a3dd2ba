/** What was done, said for a while, with a way back. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

/** From the first sign of a reader on: one who looks away misses no way back. */
const NOTICE_MS = 8_000;
const SIGNS = ['pointermove', 'pointerdown', 'keydown'];

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

export function say(text: string, undo?: () => void): void {
  lastId += 1;
  const id = lastId;
  set([...notices, { id, text, undo }]);
  onNextSign(() => setTimeout(() => dismiss(id), NOTICE_MS));
}

function onNextSign(act: () => void): void {
  const seen = new AbortController();
  const listener = () => {
    seen.abort();
    act();
  };
  for (const sign of SIGNS) addEventListener(sign, listener, { capture: true, signal: seen.signal });
}

export function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

export function subscribeNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentNotices(): readonly Notice[] {
  return notices;
}
