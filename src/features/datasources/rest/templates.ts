import type { Message } from '../../../foundation/i18n/text.ts';
import { problemOfReferences } from '../../../platform/metadata/content/secret-references.ts';
import type { ParamValues } from '../params/params.ts';

const PARAM = /\{\{param:([^{}]*)\}\}/g;
const ONE_PARAM = /^\{\{param:([^{}]*)\}\}$/;
const REFERENCE = /\{\{(secret|param):([^{}]*)\}\}/g;

/** What the references of a template stand for. */
export interface TemplateValues {
  readonly secrets: ReadonlyMap<string, string>;
  readonly params: ParamValues;
}

/** Codes of the params that a text names by `{{param:code}}`. */
export function paramsIn(template: string): string[] {
  return [...template.matchAll(PARAM)].map(([, name]) => name as string);
}

/** The problem of the references in a template; null if none. */
export function problemOfTemplate(template: string): Message | null {
  if (template.replace(REFERENCE, '').includes('{{')) {
    return 'holds {{ that is neither {{secret:NAME}} nor {{param:code}}';
  }
  return problemOfReferences(template.replace(PARAM, ''));
}

/**
 * The text of a template; null where it is one param that has no value. All references are replaced at once:
 * a value that looks like a reference is none.
 * @param encode the text of a param's value as the template's part of the request needs it
 */
export function fillText(
  template: string,
  { secrets, params }: TemplateValues,
  encode: (text: string) => string = (text) => text,
): string | null {
  const only = ONE_PARAM.exec(template)?.[1];
  if (only !== undefined && isAbsent(params[only])) return null;
  return template.replace(REFERENCE, (_whole, kind: string, name: string) =>
    kind === 'secret' ? (secrets.get(name) ?? '') : encode(textOf(params[name])),
  );
}

/** A JSON value whose texts are templates: one that is a single param becomes its value, with its type. */
export function fillJson(template: unknown, values: TemplateValues): unknown {
  if (typeof template === 'string') {
    const only = ONE_PARAM.exec(template)?.[1];
    return only === undefined ? fillText(template, values) : (values.params[only] ?? null);
  }
  if (Array.isArray(template)) return template.map((item) => fillJson(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fillJson(item, values)]));
}

/** The texts in a JSON value; keys are none. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function textOf(value: unknown): string {
  if (isAbsent(value)) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
