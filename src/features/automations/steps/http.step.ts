import { type ActivityStepKind, failedWith, type StepOutcome } from './step-kind.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { Type, type Static } from 'typebox';
import { ApplicationError, conflict, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { traceHeaders } from '../../../foundation/logging/trace.ts';
import type { TypeCheck } from '../../../foundation/expressions/type-check.ts';
import { parseTarget } from '../../../foundation/outbound/outbound-url.ts';
import { problemOfOutboundHeaders } from '../../../foundation/outbound/request-headers.ts';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import { ANSWER_JSON, parseJson } from '../../../foundation/validation/json-text.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { problemOfFit, WANTED } from '../../../platform/metadata/models/value-fit.ts';
import { secretsIn, withSecrets } from '../../../platform/metadata/content/secret-references.ts';
import { activitySchema } from './step-schema.ts';
import { MAX_QUOTED_BODY, MAX_RESPONSE_BYTES } from '../automations.limits.ts';
import { randomBytes } from 'node:crypto';
import type { StepExpressions } from './step-expressions.ts';

/**
 * Stands for a secret while an expression is evaluated. It is unknown outside this process: a reference
 * counts where the definition has it, not where data that the expression reads has it.
 */
const MARK = randomBytes(16).toString('hex');
const MARKED = new RegExp(`${MARK}:(\\w+);`, 'g');

/** Replaces a secret that a response repeats. */
const HIDDEN = '***';

/**
 * The headers of a step, in lower case, with the values of their secrets. All secrets must be there.
 * @throws VALIDATION_ERROR without any value
 */
function headersWithSecrets(
  headers: Readonly<Record<string, string>> = {},
  expressions: StepExpressions,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const valueOf = (name: string, source: string): string => {
    const marks = new Map(secretsIn(source).map((secret) => [secret, `${MARK}:${secret};`]));
    const path = `headers.${name}`;
    // The first evaluation keeps the marks out of the error of an expression that fails.
    if (marks.size > 0) expressions.evaluate(source, path);
    const value = String(expressions.evaluate(withSecrets(source, marks), path));
    return value.replace(MARKED, (_whole, secret: string) => secrets.get(secret) ?? '');
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, source]) => [name.toLowerCase(), valueOf(name, source)]),
  );
}

/** A response without the secrets that it may repeat. */
function withoutSecrets(outcome: OutboundOutcome, secrets: ReadonlyMap<string, string>): OutboundOutcome {
  if (outcome.kind === 'error' || secrets.size === 0) return outcome;
  const forms = [...secrets.values()].flatMap(formsOf).sort((a, b) => b.length - a.length);
  const cleaned = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  const headers = Object.fromEntries(Object.entries(outcome.headers).map(([name, text]) => [name, cleaned(text)]));
  return { ...outcome, headers, body: cleaned(outcome.body) };
}

/** The ways in which a value is written: as it is, in JSON, in a URL. */
function formsOf(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)].filter((form) => form !== '');
}

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
  outputType: () => ({ fields: { statusCode: 'number', headers: 'any', body: 'any', truncated: 'boolean' } }),
  problemsAmong({ url, headers = {} }, _after, check): FieldErrors {
    const problems: FieldErrors = {};
    const ofUrl = problemOfFit(WANTED.text, url, check) ?? problemOfAddresses(url, check);
    if (ofUrl) problems.url = ofUrl;
    for (const name of Object.keys(headers)) {
      const problem = problemOfOutboundHeaders({ [name]: '' });
      if (problem) problems[`headers.${name}`] = problem;
    }
    return problems;
  },

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

/** The problem of an address that the step has as it is. */
function problemOfAddresses(source: string, check: TypeCheck): Message | null {
  for (const value of check.possibleValuesOf(source).values) {
    const target = 'literal' in value ? parseTarget(String(value.literal)) : null;
    if (target !== null && !(target instanceof URL)) return target;
  }
  return null;
}

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
  const data = { dependency: 'http', statusCode, body: body.slice(0, MAX_QUOTED_BODY) };
  const isTransient = statusCode >= 500 || TRANSIENT_STATUS.has(statusCode);
  return failedWith(new ApplicationError('SERVICE_UNAVAILABLE', { message, data }), isTransient);
}

/** The value of JSON; any other body as its text. */
function parsed(body: string, contentType = ''): unknown {
  if (!/[/+]json\b/i.test(contentType)) return body;
  const parsed = parseJson(body, ANSWER_JSON);
  return 'value' in parsed ? parsed.value : body;
}
