import { ApplicationError, conflict, validationError } from '../errors/application-error.ts';
import type { ExpressionContext } from '../expressions/language.ts';
import { traceHeaders } from '../logging/trace.ts';
import type { HttpStep } from '../metadata/automation-content.ts';
import { secretsOfStep, type Secrets } from '../metadata/secret-references.ts';
import type { OutboundHttp } from '../outbound/outbound-http.ts';
import type { OutboundOutcome } from '../outbound/outcome.ts';
import { evaluate } from './run-context.ts';
import { headersWithSecrets, withoutSecrets } from './secret-headers.ts';
import { failedWith, type StepOutcome } from './step-outcome.ts';

const MAX_RESPONSE_BYTES = 256 * 1024;
/** As much of a failed response as helps to understand it. */
const MAX_QUOTE = 500;
/** What a client should try again although it is its own fault. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Calls addresses that automations name, through the guarded client. Whoever is called may be called again with the same
 * `Idempotency-Key`: a worker can die after the request has gone out.
 */
export class HttpEffect {
  readonly #http: OutboundHttp;
  readonly #secrets: Secrets;

  constructor(http: OutboundHttp, secrets: Secrets) {
    this.#http = http;
    this.#secrets = secrets;
  }

  /** Values of secrets live for the call alone: what comes back is kept, and is kept without them. @throws VALIDATION_ERROR */
  async call(
    step: HttpStep,
    context: ExpressionContext,
    environment: string,
    key: string,
    idempotencyKey: string,
    timeoutMs: number,
  ): Promise<StepOutcome> {
    const url = evaluate(step.url, context, `${key}.url`);
    if (typeof url !== 'string') throw validationError({ [`${key}.url`]: 'is not a text' });
    const method = step.method ?? (step.body === undefined ? 'GET' : 'POST');
    const value = step.body === undefined ? undefined : evaluate(step.body, context, `${key}.body`);
    const body = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
    const needed = secretsOfStep(step);
    const secrets = await this.#secrets.open(environment, needed);
    const missing = needed.find((name) => !secrets.has(name));
    if (missing !== undefined) return failedWith(noSecret(environment, missing), false);
    const given = headersWithSecrets(step.headers, context, `${key}.headers`, secrets);
    const headers: Record<string, string> = { ...traceHeaders(), 'idempotency-key': idempotencyKey };
    if (body !== undefined) headers['content-type'] = typeof value === 'string' ? 'text/plain' : 'application/json';
    for (const [name, text] of Object.entries(given)) headers[name.toLowerCase()] = text;
    const request = { url, method, headers, body, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
    return outcomeOf(withoutSecrets(await this.#http.send(request), secrets));
  }
}

function noSecret(environment: string, secret: string): ApplicationError {
  return conflict('SECRET_MISSING', `${environment} has no secret ${secret}`, { secret });
}

function outcomeOf(outcome: OutboundOutcome): StepOutcome {
  if (outcome.kind === 'error') {
    const { errorClass, message } = outcome;
    const data = { dependency: 'http', errorClass };
    return failedWith(new ApplicationError('SERVICE_UNAVAILABLE', { message, data }), errorClass !== 'blocked');
  }
  const { statusCode, headers, body, truncated } = outcome;
  if (statusCode >= 200 && statusCode < 300) {
    return { kind: 'done', output: { statusCode, headers, body: parsed(body, headers['content-type']), truncated } };
  }
  const message = `The endpoint answered ${statusCode}`;
  const data = { dependency: 'http', statusCode, body: body.slice(0, MAX_QUOTE) };
  const passing = statusCode >= 500 || PASSING.has(statusCode);
  return failedWith(new ApplicationError('SERVICE_UNAVAILABLE', { message, data }), passing);
}

/** JSON as what it says, anything else as its text. */
function parsed(body: string, contentType = ''): unknown {
  if (!/[/+]json\b/i.test(contentType)) return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
