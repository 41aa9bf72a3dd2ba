import type { FieldErrors } from '../errors/application-error.ts';
import type { RestSourceContent } from '../metadata/content.ts';
import { problemOfReferences, secretsIn } from '../metadata/secret-references.ts';
import { parseTarget } from '../outbound/outbound-url.ts';
import { problemOfHeaders } from '../outbound/request-headers.ts';

/**
 * What is wrong with a REST data source beyond its shape: path -> problem. Where its host leads is judged at each call, from
 * where the call is made: environments reach different networks, and names change.
 */
export function problemsOfRestSource({ url, headers = {}, query = {} }: RestSourceContent): FieldErrors {
  const problems: FieldErrors = {};
  const target = parseTarget(url);
  if (typeof target === 'string') problems['content.url'] = target;
  // It stands in messages.
  else if (secretsIn(url).length > 0)
    problems['content.url'] = 'must not hold a secret: put it into a header or the query';
  else if (target.hash !== '') problems['content.url'] = 'must not have a fragment';
  for (const [part, values] of Object.entries({ headers, query })) {
    for (const [name, value] of Object.entries(values)) {
      const problem = problemOfReferences(value) ?? (part === 'headers' ? problemOfHeaders({ [name]: value }) : null);
      if (problem !== null) problems[`content.${part}.${name}`] = problem;
    }
  }
  return problems;
}
