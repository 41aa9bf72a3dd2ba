import type { Subscription } from './webhook-queries.ts';

/** What is typed, before the service judges it. */
export interface Draft {
  readonly name: string;
  readonly targetUrl: string;
  readonly eventType: string;
  readonly modelCode: string;
  readonly filterExpression: string;
  readonly description: string;
  readonly maxRetries: string;
  readonly timeoutMs: string;
  readonly rateLimitPerSecond: string;
  readonly ordering: 'none' | 'record';
}

export function draftOf(subscription: Subscription | null): Draft {
  const { name = '', targetUrl = '', eventType = '', maxRetries = 8, timeoutMs = 10_000 } = subscription ?? {};
  return {
    name,
    targetUrl,
    eventType,
    modelCode: subscription?.modelCode ?? '',
    filterExpression: subscription?.filterExpression ?? '',
    description: subscription?.description ?? '',
    maxRetries: String(maxRetries),
    timeoutMs: String(timeoutMs),
    rateLimitPerSecond: String(subscription?.rateLimitPerSecond ?? ''),
    ordering: subscription?.ordering ?? 'none',
  };
}

/** What is no number goes as it is: the service says so at its field. */
export function bodyOf({ name, targetUrl, eventType, ordering, ...draft }: Draft) {
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  const optional = (text: string) => (text.trim() === '' ? null : text);
  return {
    name,
    targetUrl,
    eventType,
    ordering,
    modelCode: optional(draft.modelCode),
    filterExpression: optional(draft.filterExpression),
    description: optional(draft.description),
    maxRetries: number(draft.maxRetries),
    timeoutMs: number(draft.timeoutMs),
    rateLimitPerSecond: number(draft.rateLimitPerSecond),
  };
}

const SECRET_BYTES = 32;

/** In the form of Standard Webhooks. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
