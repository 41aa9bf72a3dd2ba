import { KeelsonError } from './errors.ts';
import { sleep, type CallOptions, type Transport } from './transport.ts';

/**
 * An event of a stream. `gap`: events between two ids are lost, read the state again; `end`: the last one.
 */
export interface StreamEvent<T = unknown> {
  readonly id: string | null;
  readonly event: string;
  readonly data: T;
}

export interface StreamOptions extends CallOptions {
  /** Goes on after this event. */
  readonly lastEventId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The service sends something every 15 s: after three times that the connection is dead. */
const SILENCE_MS = 45_000;

/**
 * The events of a stream up to `end`, across lost connections.
 * @throws KeelsonError where it may not be read
 */
export async function* streamOf<T>(
  transport: Transport,
  path: string,
  { lastEventId, signal, headers: given }: StreamOptions = {},
): AsyncGenerator<StreamEvent<T>, void, undefined> {
  let last = lastEventId;
  let pauseMs = FIRST_PAUSE_MS;
  let failures = 0;
  for (;;) {
    const silence = new AbortController();
    const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    try {
      const headers = { ...given, accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
      const response = await transport.send('GET', path, { headers, signal: both });
      for await (const { id, event, data, retry } of fieldsOf(response, silence)) {
        if (retry !== undefined) pauseMs = Number(retry);
        if (event === undefined) continue;
        failures = 0;
        last = id ?? last;
        // The next request is answered with what has become of the session.
        if (event === 'revoked') break;
        yield { id: id ?? null, event, data: JSON.parse(data ?? 'null') as T };
        if (event === 'end') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof KeelsonError && error.status >= 400 && error.status < 500 && error.status !== 429)
        throw error;
      failures += 1;
    }
    await sleep(Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** Math.max(0, failures - 1)), signal);
  }
}

/** The blocks of a response, each with its fields. */
async function* fieldsOf(
  response: Response,
  silence: AbortController,
): AsyncGenerator<Partial<Record<string, string>>, void, undefined> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        yield Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      }
    }
  } finally {
    clearTimeout(timer);
    // A stream that is left frees its slot at once.
    reader.cancel().catch(() => undefined);
  }
}
