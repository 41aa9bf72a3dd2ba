import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from 'openai';
import type OpenAI from 'openai';
import type { AiConfig } from '../../../foundation/config/config.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { ProviderFailure, providerUnavailable, type CompletionChunk, type Provider, type Turn } from './provider.ts';
import { toolDefinitions } from '../tools/tool-kinds.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { PROVIDER_ATTEMPTS, PROVIDER_FIRST_DELAY_MS, PROVIDER_MAX_DELAY_MS } from '../assistant.limits.ts';

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

const CONTINUE =
  'Your last message was cut off by a fault. Continue it exactly where it ends. Repeat nothing and do not mention the fault.';

/**
 * Any endpoint that speaks OpenAI's chat completions. The operator sets its URL (`AI_BASE_URL`), which may be
 * on this machine: it bypasses the guard for URLs of tenants, and no tenant can set it.
 */
export class OpenAiProvider implements Provider {
  readonly #config: AiConfig;
  /** Loaded on first use: many installations have no provider. */
  #sdk: Promise<typeof Sdk> | null = null;

  constructor(config: AiConfig) {
    this.#config = config;
  }

  async *complete(turn: Turn): AsyncIterable<CompletionChunk> {
    let text = '';
    for (let attempt = 1; ; attempt += 1) {
      try {
        for await (const chunk of this.#attempt({ ...turn, partial: turn.partial + text })) {
          if (chunk.kind === 'text') text += chunk.text;
          yield chunk;
        }
        return;
      } catch (error) {
        turn.signal.throwIfAborted();
        const delayMs = await this.#delayAfter(error, attempt);
        if (delayMs === null) throw new ProviderFailure(await this.#toUserError(error));
        await sleep(delayMs, undefined, { signal: turn.signal });
      }
    }
  }

  /** Yields tool calls after the end of the stream: an incomplete stream must not call tools. */
  async *#attempt(turn: Turn): AsyncIterable<CompletionChunk> {
    const { OpenAI: Client } = await (this.#sdk ??= import('openai'));
    const { baseUrl, apiKey, timeoutMs } = this.#config;
    // The client's own retries would wait for any `Retry-After`.
    const settings = { maxRetries: 0, timeout: timeoutMs, logLevel: 'off', organization: null, project: null } as const;
    // A redirect would send the key to another host.
    const client = new Client({ ...settings, baseURL: baseUrl, apiKey, fetchOptions: { redirect: 'error' } });
    const idle = new IdleTimeout(timeoutMs, turn.signal);
    try {
      const stream = await client.chat.completions.create(this.#request(turn), { signal: idle.signal });
      const calls: { name: string; arguments: string }[] = [];
      let finish: string | null = null;
      for await (const { choices } of stream) {
        idle.restart();
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
      idle.check();
      if (finish === null) throw new IncompleteStream('the stream ended before its answer did');
      for (const call of calls.filter(Boolean)) yield { kind: 'call', call };
    } catch (error) {
      idle.check();
      throw error;
    } finally {
      idle.clear();
    }
  }

  #request({ toolbox, model, ...turn }: Turn): OpenAI.Chat.ChatCompletionCreateParamsStreaming {
    const tools = (toolbox ? toolDefinitions(toolbox) : []).map((definition) => ({
      type: 'function' as const,
      function: definition,
    }));
    const messages = requestMessages(turn);
    return { model: model ?? this.#config.model, messages, stream: true, ...(tools.length > 0 && { tools }) };
  }

  /** The delay before the next attempt; null if the error is final. */
  async #delayAfter(error: unknown, attempt: number): Promise<number | null> {
    if (attempt === PROVIDER_ATTEMPTS) return null;
    const { APIError, APIConnectionError } = await (this.#sdk ??= import('openai'));
    const delayMs = PROVIDER_FIRST_DELAY_MS * 2 ** (attempt - 1);
    if (error instanceof IncompleteStream || error instanceof APIConnectionError) return delayMs;
    if (!(error instanceof APIError)) return isConnectionError(error) ? delayMs : null;
    const { status, headers } = error as { status?: number; headers?: Headers };
    if (status !== undefined && status !== 408 && status !== 429 && status < 500) return null;
    const requestedMs = retryAfterMs(headers) ?? 0;
    return requestedMs > PROVIDER_MAX_DELAY_MS ? null : Math.max(delayMs, requestedMs);
  }

  /**
   * The error that the user sees. The provider's own words are logged alone: they may name its key or limits.
   */
  async #toUserError(cause: unknown): Promise<ApplicationError> {
    const { APIError } = await (this.#sdk ??= import('openai'));
    const status = cause instanceof APIError ? (cause.status as number | undefined) : undefined;
    if (cause instanceof TimedOut) return providerUnavailable(cause);
    if (status === 429) {
      const waitMs = cause instanceof APIError ? retryAfterMs(cause.headers as Headers | undefined) : null;
      const message =
        waitMs === null
          ? 'The AI provider has too much to do'
          : text('The AI provider has too much to do; try again in {seconds} s', {
              seconds: Math.ceil(waitMs / 1_000),
            });
      return new ApplicationError('RATE_LIMITED', { message, cause });
    }
    if (status === 401 || status === 403) {
      const message = 'The AI provider refuses the credentials of this installation';
      return new ApplicationError('SERVICE_UNAVAILABLE', { message, cause });
    }
    if (status !== undefined && status >= 400 && status < 500) {
      const message = text('The AI provider refuses the request ({status})', { status });
      return new ApplicationError('SERVICE_UNAVAILABLE', { message, cause });
    }
    return providerUnavailable(cause);
  }
}

class IncompleteStream extends Error {}

class TimedOut extends IncompleteStream {}

/** Aborts a stream that stays silent for too long. The client's own time-out ends with the headers. */
class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  constructor(timeoutMs: number, outer: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.restart();
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#outer, this.#controller.signal]);
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, this.#timeoutMs);
  }

  /**
   * Needed because an aborted stream ends like a complete one. @throws TimedOut; the reason of the outer
   * signal
   */
  check(): void {
    this.#outer.throwIfAborted();
    if (this.#isLate) throw new TimedOut(`nothing came for ${this.#timeoutMs} ms`);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

function requestMessages({ system, messages, toolLog, partial }: Omit<Turn, 'toolbox' | 'model'>): Messages {
  const all: Messages = [
    { role: 'system', content: system },
    ...messages.map(({ role, text }) => ({ role, content: text })),
  ];
  for (const entry of toolLog) {
    if (entry.kind === 'calls') {
      const calls = entry.calls.map(({ id, ...call }) => ({ id, type: 'function' as const, function: call }));
      all.push({ role: 'assistant', content: entry.text || null, tool_calls: calls });
    } else all.push({ role: 'tool', tool_call_id: entry.callId, content: JSON.stringify(entry.result) });
  }
  if (partial !== '') all.push({ role: 'assistant', content: partial }, { role: 'system', content: CONTINUE });
  return all;
}

/**
 * Recognises a connection that broke within a stream: that fails with the error of fetch, not of the client.
 */
function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError || (error as { code?: unknown } | null)?.code === 'UND_ERR_SOCKET';
}

function retryAfterMs(headers: Headers | undefined): number | null {
  const text = headers?.get('retry-after');
  if (!text) return null;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
