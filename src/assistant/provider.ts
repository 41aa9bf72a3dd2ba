import { ApplicationError } from '../errors/application-error.ts';
import type { AssistantContent } from '../metadata/content.ts';
import type { Step, ToolCall } from './step.ts';
import type { Toolbox } from './toolbox.ts';

/** What was said earlier in the conversation. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** One turn of an answer: what has happened so far, and what may be used. */
export interface Turn {
  readonly system: string;
  /** The last one is the message that is to be answered. */
  readonly said: readonly Said[];
  readonly steps: readonly Step[];
  /** What this turn has said already, by a worker that died: only what follows is wanted. */
  readonly partial: string;
  /** What the caller may use; null: no more tools, the answer has to come now. */
  readonly toolbox: Toolbox | null;
  readonly model: string | null;
  readonly signal: AbortSignal;
}

export type Piece =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'call'; readonly call: Omit<ToolCall, 'id'> };

/** Who finds the words. */
export interface Provider {
  /** @throws ProviderFailure; what aborting throws */
  answer(turn: Turn): AsyncIterable<Piece>;
}

export interface Providers {
  /** The operator's; null: none is configured. */
  readonly configured: Provider | null;
  readonly builtin: Provider;
}

export function providerFor({ provider }: AssistantContent, { configured, builtin }: Providers): Provider {
  return (provider !== 'builtin' && configured) || builtin;
}

/** The provider did not do its part: that ends the answer, with an error that the user is shown. */
export class ProviderFailure extends Error {
  readonly error: ApplicationError;

  constructor(error: ApplicationError) {
    super(error.message, { cause: error.cause });
    this.name = 'ProviderFailure';
    this.error = error;
  }
}

export function tooLong(): ApplicationError {
  return new ApplicationError('PAYLOAD_TOO_LARGE', { message: 'The answer became too long' });
}
