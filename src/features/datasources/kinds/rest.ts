import { Type, type Static } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { traceHeaders } from '../../../foundation/logging/trace.ts';
import { parseTarget } from '../../../foundation/outbound/outbound-url.ts';
import { problemOfOutboundHeaders } from '../../../foundation/outbound/request-headers.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { closedObject, mapOf, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import { problemOfReferences, secretsIn, withSecrets } from '../../../platform/metadata/content/secret-references.ts';
import { brokenDataSource } from '../broken-data-source.ts';
import { DEFAULT_REST_TIMEOUT_MS, MAX_RESPONSE_BYTES } from '../datasources.limits.ts';
import { rowsOf } from '../rest-answer.ts';
import type { DataSourceKind, RowSources } from './kind.ts';

/** A place in JSON: keys joined by dots. */
const PATH = Type.String({ pattern: '^[^.]+(\\.[^.]+)*$', maxLength: 200 });
const TEXTS = mapOf(Type.String({ maxLength: 4_000 }), { maxProperties: 50 });

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('rest'),
  url: Type.String({ minLength: 1, maxLength: 2_048 }),
  method: Type.Optional(Type.Enum(['GET', 'POST'])),
  headers: Type.Optional(TEXTS),
  query: Type.Optional(TEXTS),
  /** Where in the answer the rows are; without it the answer is the rows. */
  rowsPath: Type.Optional(PATH),
  /** Column -> place in a row of the answer; without it rows stay as they are. */
  fields: Type.Optional(mapOf(PATH, { minProperties: 1, maxProperties: 100 })),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 15_000 })),
});
type RestSource = Static<typeof SCHEMA>;

/**
 * Rows that another service answers. Headers and parameters may name secrets: `{{secret:NAME}}`. Neither a
 * secret nor what the other service said about it reaches a caller.
 */
export const REST: DataSourceKind<typeof SCHEMA> = {
  schema: SCHEMA,
  secrets: secretsOf,
  problems: problemsOf,
  rows,
};

function secretsOf({ headers = {}, query = {} }: RestSource): string[] {
  return [...new Set([...Object.values(headers), ...Object.values(query)].flatMap(secretsIn))];
}

/**
 * Whether its host may be called is judged at each call: environments reach different networks, and names
 * change.
 */
function problemsOf({ url, headers = {}, query = {} }: RestSource): FieldErrors {
  const problems: FieldErrors = {};
  const target = parseTarget(url);
  if (!(target instanceof URL)) problems['content.url'] = target;
  // The URL stands in messages.
  else if (secretsIn(url).length > 0) {
    problems['content.url'] = 'must not hold a secret: put it into a header or the query';
  } else if (target.hash !== '') problems['content.url'] = 'must not have a fragment';
  for (const [part, values] of Object.entries({ headers, query })) {
    for (const [name, value] of Object.entries(values)) {
      const problem =
        problemOfReferences(value) ?? (part === 'headers' ? problemOfOutboundHeaders({ [name]: value }) : null);
      if (problem !== null) problems[`content.${part}.${name}`] = problem;
    }
  }
  return problems;
}

/**
 * @throws SERVICE_UNAVAILABLE where the service cannot be reached, is overloaded or too slow; BAD_GATEWAY
 *   where its answer is of no use; CONFLICT (DATASOURCE) where a secret is missing or the address may not be
 *   called
 */
async function rows(
  source: RestSource,
  { metadata: { environment } }: Actor,
  maxItems: number,
  from: RowSources,
): Promise<object[]> {
  const { method = 'GET', timeoutMs = DEFAULT_REST_TIMEOUT_MS } = source;
  const needed = secretsOf(source);
  const secrets = await from.secrets.open(environment, needed);
  const missing = needed.find((name) => !secrets.has(name));
  if (missing !== undefined) {
    throw brokenDataSource(text('{environment} has no secret {name}', { environment, name: missing }));
  }
  const filled = (texts: Readonly<Record<string, string>> = {}): [string, string][] =>
    Object.entries(texts).map(([name, value]) => [name, withSecrets(value, secrets)]);
  const url = new URL(source.url);
  for (const [name, value] of filled(source.query)) url.searchParams.append(name, value);
  const headers = { ...traceHeaders(), accept: 'application/json', ...Object.fromEntries(filled(source.headers)) };
  const request = { url: url.href, method, headers, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
  return rowsOf(await from.outbound.send(request), source, maxItems);
}
