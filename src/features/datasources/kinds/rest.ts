import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { traceHeaders } from '../../../foundation/logging/trace.ts';
import { parseTarget } from '../../../foundation/outbound/outbound-url.ts';
import { problemOfOutboundHeaders } from '../../../foundation/outbound/request-headers.ts';
import { secretsIn } from '../../../platform/metadata/content/secret-references.ts';
import { brokenDataSource } from '../broken-data-source.ts';
import { DEFAULT_REST_TIMEOUT_MS, MAX_RESPONSE_BYTES } from '../datasources.limits.ts';
import { rowsOf } from '../rest/rest-answer.ts';
import type { AgedRows } from '../rest/rest-cache.ts';
import { REST_SCHEMA, secretsOf, templatesOf, type RestSource } from '../rest/rest-content.ts';
import { fillRequest } from '../rest/rest-request.ts';
import { paramsIn, problemOfTemplate } from '../rest/templates.ts';
import type { RowsRequest, RowsParts } from '../rows.ts';
import type { DataSourceKind, SavingChecks } from './kind.ts';

/**
 * Rows that another service answers. Its error messages are not shown, because they may repeat secrets.
 */
export const REST: DataSourceKind<typeof REST_SCHEMA> = {
  schema: REST_SCHEMA,
  secrets: secretsOf,
  *paramsNamed(source) {
    for (const name of paramsIn(source.url)) yield ['url', name];
    for (const [path, template] of templatesOf(source)) for (const name of paramsIn(template)) yield [path, name];
  },
  problems: problemsOf,
  columns: ({ fields }) => fields && Object.keys(fields).map((name) => ({ name, type: null })),
  rows,
};

/** A host that is a name is checked at each call, because its addresses change. */
function problemsOf(source: RestSource, _models: unknown, { outbound }: SavingChecks): FieldErrors {
  const problems: FieldErrors = {};
  const { url, body, method = 'GET' } = source;
  const ofUrl = problemOfUrl(source, outbound) ?? problemOfTemplate(url);
  if (ofUrl !== null) problems['content.url'] = ofUrl;
  if (body !== undefined && method !== 'POST') problems['content.body'] = 'is for POST';
  for (const [path, template] of templatesOf(source)) {
    const isHeader = path.startsWith('headers.');
    const problem =
      problemOfTemplate(template) ??
      (isHeader ? problemOfOutboundHeaders({ [path.slice('headers.'.length)]: template }) : null);
    if (problem !== null) problems[`content.${path}`] = problem;
  }
  return problems;
}

/** Scheme, host and what ends them. */
const ORIGIN = /^https?:\/\/[^/?#{}]+[/?]/i;

function problemOfUrl({ url, params = [] }: RestSource, outbound: SavingChecks['outbound']): Message | null {
  // The URL stands in messages.
  if (secretsIn(url).length > 0) return 'must not hold a secret: put it into a header or the query';
  const named = paramsIn(url);
  const target = parseTarget(url.replace(/\{\{param:[^{}]*\}\}/g, 'x'));
  if (!(target instanceof URL)) return target;
  if (target.hash !== '') return 'must not have a fragment';
  const ofAddress = outbound?.problemOfAddress(target) ?? null;
  if (ofAddress !== null) return ofAddress;
  if (named.length === 0) return null;
  if (!ORIGIN.test(url)) return 'must name its host without a parameter';
  const optional = named.find((name) => !params.some(({ code, required }) => code === name && required));
  return optional === undefined ? null : text('needs the parameter {param} to be required', { param: optional });
}

/**
 * @throws SERVICE_UNAVAILABLE where the service cannot be reached, is overloaded or too slow; BAD_GATEWAY
 *   where its answer is of no use; CONFLICT (DATASOURCE) where a secret is missing or the address may not be
 *   called; VALIDATION_ERROR as `fillRequest`
 */
async function rows(
  source: RestSource,
  { actor, params, maxItems }: RowsRequest,
  { outbound, secrets: environmentSecrets, cache }: RowsParts,
): Promise<AgedRows> {
  const { environment } = actor.metadata;
  const needed = secretsOf(source);
  const secrets = await environmentSecrets.open(environment, needed);
  const missing = needed.find((name) => !secrets.has(name));
  if (missing !== undefined) {
    throw brokenDataSource(text('{environment} has no secret {name}', { environment, name: missing }));
  }
  const request = fillRequest(source, secrets, params);
  const limits = { timeoutMs: source.timeoutMs ?? DEFAULT_REST_TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
  const callService = async (): Promise<object[]> => {
    const headers = { ...traceHeaders(), ...request.headers };
    return rowsOf(await outbound.send({ ...request, ...limits, headers }), source);
  };
  const found =
    cache && source.cache
      ? await cache.rows(source, actor, params, request, callService)
      : { rows: await callService(), ageSeconds: null };
  return { ...found, rows: found.rows.slice(0, maxItems) };
}
