import { text } from '../../../foundation/i18n/text.ts';
import { Type, type Static } from 'typebox';
import { ApplicationError, conflict } from '../../../foundation/errors/application-error.ts';
import { traceHeaders } from '../../../foundation/logging/trace.ts';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { secretsIn } from '../../../platform/metadata/content/secret-references.ts';
import { headersWithSecrets, withoutSecrets } from './secret-headers.ts';
import type { ActivityStepKind } from './step-kind.ts';
import { failedWith, type StepOutcome } from './step-outcome.ts';
import { activitySchema } from './step-schema.ts';
import { MAX_RESPONSE_BYTES } from '../automations.limits.ts';

/** The part of a failed response that the step's error quotes. */
const MAX_QUOTE = 500;
/** Client errors that a later attempt may not meet. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);

const schema = activitySchema('http', {
  method: Type.Optional(Type.Enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  url: EXPRESSION,
  headers: Type.Optional(mapOf(EXPRESSION, { maxProperties: 50 })),
  body: Type.Optional(EXPRESSION),
});
type HttpStep = Static<typeof schema>;

/**
 * Calls an address through the guarded client. A worker can die after the request was sent: the next attempt
 * has the same `Idempotency-Key`.
 */
export const httpStep: ActivityStepKind<HttpStep> = {
  schema,
  defaultTimeoutSeconds: 30,
  secretKeys: ['headers'],

  async execute(step, { run, expressions, idempotencyKey, timeoutMs }, { http, secrets: environmentSecrets }) {
    const { environment } = run;
    const url = expressions.text(step.url, 'url');
    const method = step.method ?? (step.body === undefined ? 'GET' : 'POST');
    const value = step.body === undefined ? undefined : expressions.evaluate(step.body, 'body');
    const body = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
    const names = [...new Set(Object.values(step.headers ?? {}).flatMap(secretsIn))];
    const secrets = await environmentSecrets.open(environment, names);
    const missing = names.find((name) => !secrets.has(name));
    if (missing !== undefined) return failedWith(noSecret(environment, missing), false);
    const headers: Record<string, string> = { ...traceHeaders(), 'idempotency-key': `${run.pid}:${idempotencyKey}` };
    if (body !== undefined) headers['content-type'] = typeof value === 'string' ? 'text/plain' : 'application/json';
    Object.assign(headers, headersWithSecrets(step.headers, expressions, secrets));
    const request = { url, method, headers, body, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
    // The response is stored, so its secrets are removed.
    return outcomeOf(withoutSecrets(await http.send(request), secrets));
  },
};

function noSecret(environment: string, secret: string): ApplicationError {
  return conflict('SECRET_MISSING', text('{environment} has no secret {name}', { environment, name: secret }), {
    secret,
  });
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
  const message = text('The endpoint answered {status}', { status: statusCode });
  const data = { dependency: 'http', statusCode, body: body.slice(0, MAX_QUOTE) };
  const isTransient = statusCode >= 500 || TRANSIENT_STATUS.has(statusCode);
  return failedWith(new ApplicationError('SERVICE_UNAVAILABLE', { message, data }), isTransient);
}

/** The value of JSON; any other body as its text. */
function parsed(body: string, contentType = ''): unknown {
  if (!/[/+]json\b/i.test(contentType)) return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
