import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { AssistantContent } from '../assistant-type.ts';
import type { ToolCall, ToolLogEntry } from '../tools/tool-call.ts';
import type { Toolbox } from '../tools/toolbox.ts';

/** A message of the conversation. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** One request to a provider: the conversation, what the reply has done with tools, and the tools. */
export interface Turn {
  readonly system: string;
  /** Oldest first. The last one is the message to reply to. */
  readonly messages: readonly ChatMessage[];
  readonly toolLog: readonly ToolLogEntry[];
  /** Text of this turn from a worker that died. The provider continues after it. */
  readonly partial: string;
  /** The tools that the caller may use. Null requires a final text. */
  readonly toolbox: Toolbox | null;
  readonly model: string | null;
  readonly signal: AbortSignal;
}

export type CompletionChunk =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly call: Omit<ToolCall, 'id'> };

/** Writes the text of replies: an AI model, or the built-in rules. */
export interface Provider {
  /** @throws ProviderFailure; the reason of an abort */
  complete(turn: Turn): AsyncIterable<CompletionChunk>;
}

export interface Providers {
  /** The operator's; null if none is configured. */
  readonly configured: Provider | null;
  readonly builtin: Provider;
}

export function providerFor({ provider }: AssistantContent, { configured, builtin }: Providers): Provider {
  return (provider !== 'builtin' && configured) || builtin;
}

/** A failure of the provider. It ends the reply; the user sees `error`. */
export class ProviderFailure extends Error {
  readonly error: ApplicationError;

  constructor(error: ApplicationError) {
    super(error.message, { cause: error.cause });
    this.name = 'ProviderFailure';
    this.error = error;
  }
}

/** The provider gives no answer; the user may ask again. */
export function providerUnavailable(cause?: unknown): ApplicationError {
  const dependency = 'The AI provider';
  return new ApplicationError('SERVICE_UNAVAILABLE', {
    message: 'The AI provider is unavailable',
    data: { dependency },
    retryAfterSeconds: 2,
    cause,
  });
}

export function replyTooLong(): ApplicationError {
  return new ApplicationError('PAYLOAD_TOO_LARGE', { message: 'The answer became too long' });
}
