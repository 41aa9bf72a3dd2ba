import { Type, type Static } from 'typebox';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { closedObject, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import { secretsIn } from '../../../platform/metadata/content/secret-references.ts';
import { MAX_CACHE_SECONDS } from '../datasources.limits.ts';
import { PARAMS } from '../params/params.ts';
import { textsIn } from './templates.ts';

/** A path in JSON: keys joined by dots. */
const PATH = Type.String({ pattern: '^[^.]+(\\.[^.]+)*$', maxLength: 200 });
const TEXTS = mapOf(Type.String({ maxLength: 4_000 }), { maxProperties: 50 });

/**
 * URL, headers, query and body may name params, `{{param:code}}`; all but the URL secrets, `{{secret:NAME}}`.
 */
export const REST_SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('rest'),
  params: PARAMS,
  url: Type.String({ minLength: 1, maxLength: 2_048 }),
  method: Type.Optional(Type.Enum(['GET', 'POST'])),
  headers: Type.Optional(TEXTS),
  query: Type.Optional(TEXTS),
  /** What a POST sends, as JSON. */
  body: Type.Optional(Type.Unknown()),
  /** Where in the answer the rows are; without it the answer is the rows. */
  rowsPath: Type.Optional(PATH),
  /** Column -> path in a row of the answer; without it rows stay as they are. */
  fields: Type.Optional(mapOf(PATH, { minProperties: 1, maxProperties: 100 })),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 15_000 })),
  cache: Type.Optional(
    closedObject({
      /** How long rows are answered without asking the service. */
      ttlSeconds: Type.Integer({ minimum: 1, maximum: MAX_CACHE_SECONDS }),
      /** How long after that they are answered while the service is unavailable. */
      staleSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_CACHE_SECONDS })),
    }),
  ),
});
export type RestSource = Static<typeof REST_SCHEMA>;

/** The texts of a source that may name secrets and params, by their path; the URL may name params alone. */
export function* templatesOf({ headers = {}, query = {}, body }: RestSource): Iterable<[path: string, text: string]> {
  for (const [part, texts] of Object.entries({ headers, query })) {
    for (const [name, template] of Object.entries(texts)) yield [`${part}.${name}`, template];
  }
  for (const template of textsIn(body)) yield ['body', template];
}

/** The secrets that a source needs, each once. */
export function secretsOf(source: RestSource): string[] {
  return [...new Set([...templatesOf(source)].flatMap(([, template]) => secretsIn(template)))];
}

/** Scheme, host and port that a source calls; params stand behind them. */
export function originOf({ url }: RestSource): string {
  return URL.parse(url)?.origin ?? '';
}
