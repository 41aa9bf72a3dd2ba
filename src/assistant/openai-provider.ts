import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from 'openai';
import type OpenAI from 'openai';
import type { AiConfig } from '../config/config.ts';
import { ApplicationError, unavailable } from '../errors/application-error.ts';
import { ProviderFailure, type Piece, type Provider, type Turn } from './provider.ts';
import { toolDefinitions } from './tool-definitions.ts';

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

/** Tries of one turn, the first included. */
const TRIES = 3;
const FIRST_DELAY_MS = 500;
/** A provider that wants a longer pause than this is told to the user instead of waited for. */
const MAX_PAUSE_MS = 15_000;

const GO_ON =
  'Your last message was cut off by a fault. Continue it exactly where it ends. Repeat nothing and do not mention the fault.';

/**
 * Any endpoint that speaks OpenAI's chat completions. Its URL is the operator's (`AI_BASE_URL`), who may well run it on this
 * machine: so it does not go through the guard for addresses that tenants name, and no tenant can name it.
 */
export class OpenAiProvider implements Provider {
  readonly #config: AiConfig;
  /** Loaded when it is first needed: most installations of the demo never do. */
  #sdk: Promise<typeof Sdk> | null = null;

  constructor(config: AiConfig) {
    this.#config = config;
  }

  async *answer(turn: Turn): AsyncIterable<Piece> {
    let said = '';
    for (let tries = 1; ; tries += 1) {
      try {
        for await (const piece of this.#attempt({ ...turn, partial: turn.partial + said })) {
          if (piece.kind === 'text') said += piece.text;
          yield piece;
        }
        return;
      } catch (error) {
        turn.signal.throwIfAborted();
        const pauseMs = await this.#pauseAfter(error, tries);
        if (pauseMs === null) throw new ProviderFailure(await this.#translate(error));
        await sleep(pauseMs, undefined, { signal: turn.signal });
      }
    }
  }

  /** Calls come when the turn is over: a stream that is cut must not have asked for anything. */
  async *#attempt(turn: Turn): AsyncIterable<Piece> {
    const { OpenAI: Client } = await (this.#sdk ??= import('openai'));
    const { baseUrl, apiKey, timeoutMs } = this.#config;
    // Its own retries would sleep for as long as the provider says.
    const settings = { maxRetries: 0, timeout: timeoutMs, logLevel: 'off', organization: null, project: null } as const;
    // A redirect would take the key to somewhere the operator has not named.
    const client = new Client({ ...settings, baseURL: baseUrl, apiKey, fetchOptions: { redirect: 'error' } });
    const silence = new Silence(timeoutMs, turn.signal);
    try {
      const stream = await client.chat.completions.create(this.#request(turn), { signal: silence.signal });
      const calls: { name: string; arguments: string }[] = [];
      let finish: string | null = null;
      for await (const { choices } of stream) {
        silence.broken();
        const [choice] = choices;
        finish = choice?.finish_reason ?? finish;
        const { content, tool_calls: parts = [] } = choice?.delta ?? {};
        if (content) yield { kind: 'text', text: content };
        for (const { index, function: part } of parts) {
          const call = (calls[index] ??= { name: '', arguments: '' });
          call.name += part?.name ?? '';
          call.arguments += part?.arguments ?? '';
        }
      }
      silence.check();
      if (finish === null) throw new CutOff('the stream ended before its answer did');
      for (const call of calls.filter(Boolean)) yield { kind: 'call', call };
    } catch (error) {
      silence.check();
      throw error;
    } finally {
      silence.end();
    }
  }

  #request({ system, said, steps, partial, toolbox, model }: Turn): OpenAI.Chat.ChatCompletionCreateParamsStreaming {
    const messages: Messages = [
      { role: 'system', content: system },
      ...said.map(({ role, text }) => ({ role, content: text })),
    ];
    for (const step of steps) {
      if (step.kind === 'calls') {
        const calls = step.calls.map(({ id, ...call }) => ({ id, type: 'function' as const, function: call }));
        messages.push({ role: 'assistant', content: step.text || null, tool_calls: calls });
      } else messages.push({ role: 'tool', tool_call_id: step.callId, content: JSON.stringify(step.result) });
    }
    if (partial !== '') messages.push({ role: 'assistant', content: partial }, { role: 'system', content: GO_ON });
    const tools = (toolbox ? toolDefinitions(toolbox) : []).map((tool) => ({
      type: 'function' as const,
      function: tool,
    }));
    return { model: model ?? this.#config.model, messages, stream: true, ...(tools.length > 0 && { tools }) };
  }

  /** How long to wait before the next try; null where there is no sense in one. */
  async #pauseAfter(error: unknown, tries: number): Promise<number | null> {
    if (tries === TRIES) return null;
    const { APIError, APIConnectionError } = await (this.#sdk ??= import('openai'));
    const delayMs = FIRST_DELAY_MS * 2 ** (tries - 1);
    if (error instanceof CutOff || error instanceof APIConnectionError) return delayMs;
    if (!(error instanceof APIError)) return isBroken(error) ? delayMs : null;
    const { status, headers } = error as { status?: number; headers?: Headers };
    if (status !== undefined && status !== 408 && status !== 429 && status < 500) return null;
    const askedMs = retryAfterMs(headers);
    return askedMs !== null && askedMs > MAX_PAUSE_MS ? null : Math.max(delayMs, askedMs ?? 0);
  }

  /** What the user is told. What the provider said of its key or its limits is for the log. */
  async #translate(cause: unknown): Promise<ApplicationError> {
    const { APIError } = await (this.#sdk ??= import('openai'));
    const status = cause instanceof APIError ? (cause.status as number | undefined) : undefined;
    if (cause instanceof TimedOut) return unavailable('The AI provider', cause);
    if (status === 429) {
      const waitMs = cause instanceof APIError ? retryAfterMs(cause.headers as Headers | undefined) : null;
      const message =
        waitMs === null
          ? 'The AI provider has too much to do'
          : `The AI provider has too much to do; try again in ${Math.ceil(waitMs / 1_000)} s`;
      return new ApplicationError('RATE_LIMITED', { message, cause });
    }
    if (status === 401 || status === 403) {
      const message = 'The AI provider refuses the credentials of this installation';
      return new ApplicationError('SERVICE_UNAVAILABLE', { message, cause });
    }
    if (status !== undefined && status >= 400 && status < 500) {
      const message = `The AI provider refuses the request (${status})`;
      return new ApplicationError('SERVICE_UNAVAILABLE', { message, cause });
    }
    return unavailable('The AI provider', cause);
  }
}

/** An answer without its end. */
class CutOff extends Error {}

/** Nothing came for too long. */
class TimedOut extends CutOff {}

/** Ends a stream on which nothing comes: the client's own time-out is over with the headers. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  constructor(timeoutMs: number, outer: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.broken();
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#outer, this.#controller.signal]);
  }

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, this.#timeoutMs);
  }

  /** @throws TimedOut; what the outer signal was aborted with. An aborted stream ends as if it were complete. */
  check(): void {
    this.#outer.throwIfAborted();
    if (this.#isLate) throw new TimedOut(`nothing came for ${this.#timeoutMs} ms`);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** A connection that broke in the middle of a stream fails as fetch does, not as the library does. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error as { code?: unknown } | null)?.code === 'UND_ERR_SOCKET';
}

function retryAfterMs(headers: Headers | undefined): number | null {
  const text = headers?.get('retry-after');
  if (!text) return null;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
