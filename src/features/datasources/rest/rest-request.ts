import { validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { problemOfOutboundHeaders } from '../../../foundation/outbound/request-headers.ts';
import { parseTarget } from '../../../foundation/outbound/outbound-url.ts';
import type { ParamValues } from '../params/params.ts';
import type { RestSource } from './rest-content.ts';
import { fillJson, fillText, paramsIn, type TemplateValues } from './templates.ts';

/** The request of a REST source, filled in. */
export interface RestRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** @throws VALIDATION_ERROR for values of params that cannot stand where the source puts them */
export function fillRequest(
  source: RestSource,
  secrets: ReadonlyMap<string, string>,
  params: ParamValues,
): RestRequest {
  const { method = 'GET', body, headers = {}, query = {} } = source;
  requireFitting(source, params);
  const values = { secrets, params };
  const url = new URL(filledUrl(source.url, params));
  for (const [name, value] of filled(query, values)) url.searchParams.append(name, value);
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    url: url.href,
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && !hasType && { 'content-type': 'application/json' }),
      ...Object.fromEntries(filled(headers, values)),
    },
    ...(body !== undefined && { body: JSON.stringify(fillJson(body, values)) }),
  };
}

/** Without those that are one param without a value. */
function filled(templates: Readonly<Record<string, string>>, values: TemplateValues): [string, string][] {
  return Object.entries(templates).flatMap(([name, template]): [string, string][] => {
    const value = fillText(template, values);
    return value === null ? [] : [[name, value]];
  });
}

function filledUrl(template: string, params: ParamValues): string {
  return fillText(template, { secrets: NO_SECRETS, params }, encodeURIComponent) ?? '';
}

/** What a value must not make of its part of a path, because it would lead to another path. */
const NO_SEGMENTS = new Set(['', '.', '..']);

function requireFitting({ url, headers = {} }: RestSource, params: ParamValues): void {
  const errors: FieldErrors = {};
  const values = filledUrl(url, params);
  const segments = segmentsOf(values);
  segmentsOf(url).forEach((template, index) => {
    if (!NO_SEGMENTS.has(segments[index] ?? '')) return;
    for (const name of paramsIn(template)) errors[`params.${name}`] = 'cannot be a part of the path of a URL';
  });
  const problem = parseTarget(values);
  if (!(problem instanceof URL)) for (const name of paramsIn(url)) errors[`params.${name}`] ??= problem;
  for (const [name, template] of Object.entries(headers)) {
    const value = fillText(template, { secrets: NO_SECRETS, params });
    const isWrong = value !== null && problemOfOutboundHeaders({ [name]: value }) !== null;
    if (isWrong) for (const param of paramsIn(template)) errors[`params.${param}`] = 'cannot stand in a header';
  }
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

/** The parts of the path of a URL, before it is parsed: encoded values hold no slash. */
function segmentsOf(url: string): string[] {
  return (url.split(/[?#]/)[0] ?? '').split('/').slice(3);
}
