import { jsonIn } from '../../../../foundation/validation/json-text.ts';
import type { KnownModel, Toolbox } from '../../tools/toolbox.ts';

const SYMBOLS = new Map(Object.entries({ '=': 'eq', '!=': 'ne', '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }));
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^\s"[]\S*`;
/** `amount > 10`, `name starts_with "A"`, `email is_null`, up to the `and` before the next one. */
const CONDITION = new RegExp(
  String.raw`\s*([^\s=!<>]+)(?:\s+(is_null|is_not_null)|(?:\s*([=!<>]=?)\s*|\s+([a-z_]+)\s+)(${VALUE}))(?:\s*$|\s+(?:and|且)\s)`,
  'iy',
);

/**
 * Reads what follows `where`: filter conditions as JSON, or `field operator value` joined by `and`. Only the
 * form is judged here; fields, operators and values are judged by `list_records`.
 * @returns null for any other form
 */
function readConditions(text: string, model: KnownModel): readonly unknown[] | null {
  if (/^[[{]/.test(text)) {
    const parsed = jsonIn(text);
    return parsed === undefined ? null : [parsed].flat();
  }
  const filters: unknown[] = [];
  for (let end = 0; end < text.length; end = CONDITION.lastIndex) {
    CONDITION.lastIndex = end;
    const [, fieldName, unary, symbol = '', word = SYMBOLS.get(symbol) ?? symbol, written] = CONDITION.exec(text) ?? [];
    if (fieldName === undefined) return null;
    const type = model.fields.find(({ code }) => code === fieldName)?.type;
    // Decimals and large whole numbers stay texts: a JSON number would round them.
    const isJson = /^["[]/.test(written ?? '') || type === 'integer' || type === 'boolean';
    const value = isJson ? (jsonIn(written ?? '') ?? written) : written;
    filters.push({ fieldName, operator: unary ?? word, ...(value !== undefined && { value }) });
  }
  return filters;
}

type Language = 'en' | 'zh';

/** What a message asks for. */
export type Intent =
  | { readonly kind: 'help' | 'models' | 'unknown' }
  | { readonly kind: 'describe'; readonly model: KnownModel }
  | Search
  | { readonly kind: 'show'; readonly model: KnownModel; readonly name: string }
  | { readonly kind: 'run'; readonly code: string; readonly args: Readonly<Record<string, unknown>> };

export interface Search {
  readonly kind: 'count' | 'list';
  readonly model: KnownModel;
  readonly filters: readonly unknown[];
  /** The conditions as the reply repeats them. */
  readonly conditions: readonly string[];
}

/** Reads the rest of a message that begins as its form does; null: the message is not understood. */
type Read = (rest: string, toolbox: Toolbox) => Intent | null;

/** The forms that are understood, by their beginnings. docs/assistant.md explains them with examples. */
const FORMS: readonly (readonly [en: RegExp, zh: RegExp, read: Read])[] = [
  [/^(?:help|hello|hi)$/i, /^(?:帮助|你好|您好)$/, () => ({ kind: 'help' })],
  [/^(?:which |list )?models(?: exist)?$/i, /^(?:有哪些|列出)?模型$/, () => ({ kind: 'models' })],
  [/^describe\s/i, /^描述/, readDescribe],
  [/^(?:how many|count)\s/i, /^(?:有多少|统计)[个条]?/, (rest, { models }) => readSearch('count', rest, models)],
  [/^list\s/i, /^列出/, (rest, { models }) => readSearch('list', rest, models)],
  [/^show\s/i, /^查看/, readShow],
  [/^run\s/i, /^执行/, readRun],
];
/** The end of what is counted or listed: the end of the message, or the `where` of its conditions. */
const SUBJECT_END = /(?:\sare there)?(?:$|[,，]?\swhere\s|[,，]?其中(?=.))/i;
const PUNCTUATION = /\s?[?!.？！。]{1,3}$/;
const RUN = /^(\S+)(?:\s+(create|update|delete|custom))?(?:\s+([0-9a-z]{26}))?(?:\s+(\{.*\}))?$/is;

/** Recognises the form of a message. A message that no form covers as a whole is `unknown`, never guessed. */
export function readIntent(message: string, toolbox: Toolbox): { intent: Intent; language: Language } {
  const text = message.trim().replace(PUNCTUATION, '');
  for (const [en, zh, read] of FORMS) {
    const [beginning] = en.exec(text) ?? zh.exec(text) ?? [];
    const intent = beginning === undefined ? null : read(text.slice(beginning.length).trim(), toolbox);
    if (intent) return { intent, language: en.test(text) ? 'en' : 'zh' };
  }
  return { intent: { kind: 'unknown' }, language: /\p{Script=Han}/u.test(text) ? 'zh' : 'en' };
}

function readDescribe(text: string, { models }: Toolbox): Intent | null {
  const found = longestName(models, (name) => text.toLowerCase() === name);
  return found ? { kind: 'describe', model: found.model } : null;
}

/** `leads`, `open leads are there`, `open 的 lead`, `leads where amount > 1000`. */
function readSearch(kind: Search['kind'], text: string, models: readonly KnownModel[]): Search | null {
  const end = text.search(SUBJECT_END);
  const subject = text.slice(0, end).trim().toLowerCase();
  const written = text.slice(end).replace(SUBJECT_END, '').trim();
  const found = longestName(models, (name) => subject.endsWith(name));
  const conditions = found && readConditions(written, found.model);
  if (!conditions) return null;
  const { model, name } = found;
  const value = subject.slice(0, -name.length).trim().replace(/的$/, '').trim();
  const valued = model.fields.flatMap(({ code, values }) => {
    const known = values.find((one) => one.toLowerCase() === value);
    return known === undefined ? [] : [{ fieldName: code, operator: 'eq', value: known }];
  });
  // A value of several fields may mean any of them.
  if (valued.length !== (value === '' ? 0 : 1)) return null;
  const shown = valued.map((one) => `${one.fieldName} ${one.value}`).concat(written === '' ? [] : written);
  return { kind, model, filters: [...valued, ...conditions], conditions: shown };
}

/** `lead Ada`, `lead 01JX...`. */
function readShow(text: string, { models }: Toolbox): Intent | null {
  const found = longestName(models, (name) => text.toLowerCase().startsWith(`${name} `));
  const name = found && text.slice(found.name.length).trim();
  return name ? { kind: 'show', model: found.model, name } : null;
}

/** `crm:create_lead {"name": "Ada"}`, `crm:update_lead 01JX... {"status": "won"}`. */
function readRun(text: string, { commands }: Toolbox): Intent | null {
  const [, code, operation, targetRecordId, json] = RUN.exec(text) ?? [];
  const payload = json === undefined ? undefined : jsonIn(json);
  if (code === undefined || (json !== undefined && payload === undefined)) return null;
  const [only, another] = commands.find((one) => one.code === code)?.operations ?? [];
  const operationType = operation?.toUpperCase() ?? (another ? undefined : only);
  return { kind: 'run', code, args: { command: code, operationType, targetRecordId, payload } };
}

/** The longest name wins: `deal line` is not the model `line`. */
function longestName(models: readonly KnownModel[], matches: (name: string) => boolean) {
  const known = models.flatMap((model) => namesOf(model).map((name) => ({ model, name })));
  return known.filter(({ name }) => matches(name)).sort((one, other) => other.name.length - one.name.length)[0];
}

function namesOf({ code, name }: KnownModel): string[] {
  const names = [code, code.replaceAll('_', ' '), name].map((one) => one.toLowerCase());
  return [...names, ...names.map(pluralOf)];
}

export function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}
