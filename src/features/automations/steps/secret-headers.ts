import { randomBytes } from 'node:crypto';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import { secretsIn, withSecrets } from '../../../platform/metadata/content/secret-references.ts';
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
export function headersWithSecrets(
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
