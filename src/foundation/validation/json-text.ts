import type { FieldErrors } from '../errors/application-error.ts';
import { text as message, type Message } from '../i18n/text.ts';
import {
  MAX_ANSWER_DEPTH,
  MAX_ANSWER_KEYS,
  MAX_ANSWER_VALUES,
  MAX_JSON_DEPTH,
  MAX_JSON_KEYS,
  MAX_JSON_VALUES,
} from '../foundation.limits.ts';
import { isExact, JsonScan, type JsonRules } from './json-scan.ts';

export type { JsonRules };

/** The value of a JSON text, or what is wrong, by the path of the value: '' is the whole text. */
export type ParsedJson<T = unknown> = { readonly value: T } | { readonly problems: FieldErrors };

/** What requests and files hold. */
export const REQUEST_JSON: JsonRules = {
  depth: MAX_JSON_DEPTH,
  keys: MAX_JSON_KEYS,
  keysOfObject: MAX_JSON_KEYS,
  values: MAX_JSON_VALUES,
  allKeys: false,
  roundedNumbers: 'refused',
};
/** What other services send: they cannot be asked to write it in another way. */
export const ANSWER_JSON: JsonRules = {
  ...REQUEST_JSON,
  depth: MAX_ANSWER_DEPTH,
  keys: MAX_ANSWER_KEYS,
  values: MAX_ANSWER_VALUES,
  allKeys: true,
  roundedNumbers: 'texts',
};

/**
 * Parses JSON that others have written. It is scanned first: what is too deep or too much is never parsed,
 * and a number that JavaScript would round is refused.
 */
export function parseJson(text: string, rules: JsonRules = REQUEST_JSON): ParsedJson {
  const scan = new JsonScan(text, rules);
  scan.run(text.length);
  return parseScanned(scan, text);
}

/** The same for a text that has to hold an object. */
export function parseJsonObject(text: string, rules?: JsonRules): ParsedJson<Record<string, unknown>> {
  return asObject(parseJson(text, rules));
}

/** What has been parsed, if it is an object. */
export function asObject(parsed: ParsedJson): ParsedJson<Record<string, unknown>> {
  if ('problems' in parsed) return parsed;
  const { value } = parsed;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { value: value as Record<string, unknown> } : { problems: { '': 'must be a JSON object' } };
}

/** The problems as field errors: what is wrong with the whole text gets this name. */
export function fieldErrorsOf({ problems }: { readonly problems: FieldErrors }, name: string): FieldErrors {
  return Object.fromEntries(Object.entries(problems).map(([path, problem]) => [path || name, problem]));
}

/** What is wrong with a text, where there is room for one problem. */
export function firstProblem({ problems }: { readonly problems: FieldErrors }): Message {
  const [[field, problem] = ['', 'is not valid JSON' as const]] = Object.entries(problems);
  return field === '' ? problem : message('{field}: {problem}', { field, problem });
}

/** The value of a JSON text; undefined for any other text. */
export function jsonIn(text: string, rules?: JsonRules): unknown {
  const parsed = parseJson(text, rules);
  return 'value' in parsed ? parsed.value : undefined;
}

/** Parses a text in whose scan nothing was wrong. */
export function parseScanned({ problems, hasRoundedNumber }: JsonScan, text: string): ParsedJson {
  if (Object.keys(problems).length > 0) return { problems };
  try {
    return { value: (hasRoundedNumber ? JSON.parse(text, keepDigits) : JSON.parse(text)) as unknown };
  } catch {
    return { problems: { '': 'is not valid JSON' } };
  }
}

/** A reviver: a number that would be rounded is the text of its digits. */
export function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined && !isExact(source) ? source : value;
}
