import { randomBytes } from 'node:crypto';
import type { ExpressionContext } from '../expressions/language.ts';
import { secretsIn, withSecrets } from '../metadata/secret-references.ts';
import type { OutboundOutcome } from '../outbound/outcome.ts';
import { evaluate } from './run-context.ts';

/**
 * Stands in the place of a secret while an expression is evaluated. Nobody outside this process knows it: a reference counts
 * where the definition has it, and not where data that the expression reads does.
 */
const MARK = randomBytes(16).toString('hex');
const MARKED = new RegExp(`${MARK}:(\\w+);`, 'g');

/** What stands in an answer where it repeated a secret. */
const HIDDEN = '***';

/** Headers of a step with the values of their secrets, all of which must be there. @throws VALIDATION_ERROR without any value */
export function headersWithSecrets(
  headers: Readonly<Record<string, string>> = {},
  context: ExpressionContext,
  path: string,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const valueOf = (name: string, source: string): string => {
    const marks = new Map(secretsIn(source).map((secret) => [secret, `${MARK}:${secret};`]));
    const at = `${path}.${name}`;
    // Where it fails, it fails in the words of the definition.
    if (marks.size > 0) evaluate(source, context, at);
    const value = String(evaluate(withSecrets(source, marks), context, at));
    return value.replace(MARKED, (_whole, secret: string) => secrets.get(secret) ?? '');
  };
  return Object.fromEntries(Object.entries(headers).map(([name, source]) => [name, valueOf(name, source)]));
}

/** What an endpoint answered, without the secrets that it may have repeated. */
export function withoutSecrets(outcome: OutboundOutcome, secrets: ReadonlyMap<string, string>): OutboundOutcome {
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
