import type { KnownCommand, KnownField, KnownModel, Toolbox } from '../toolbox.ts';
import { ConditionReader, type Search } from './conditions.ts';
import { enumValueAt, fieldAt, modelIn, titleField, type Mention } from './lexicon.ts';
import { valueOf } from './value.ts';
import { matchAt, textOfWords, wordsOf, type Word } from './words.ts';

/** What a message wants, as far as rules can tell. */
export type Intent =
  | { readonly kind: 'help' }
  | { readonly kind: 'models' }
  | { readonly kind: 'describe'; readonly model: KnownModel }
  | { readonly kind: 'search'; readonly model: KnownModel; readonly search: Search; readonly isCount: boolean }
  | { readonly kind: 'detail'; readonly model: KnownModel; readonly name: string }
  | CommandIntent
  | { readonly kind: 'unknown'; readonly words: readonly string[] };

export interface CommandIntent {
  readonly kind: 'command';
  readonly command: KnownCommand;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CUSTOM';
  readonly model: KnownModel;
  /** What the record is called that it works on; null for one that it makes. */
  readonly target: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** What was said and could not be understood. */
  readonly unknown: readonly string[];
}

const VERBS: readonly [operation: 'CREATE' | 'UPDATE' | 'DELETE', verbs: ReadonlySet<string>][] = [
  ['CREATE', new Set(['create', 'add', 'make', 'register'])],
  ['UPDATE', new Set(['update', 'change', 'set', 'edit', 'mark', 'move', 'rename'])],
  ['DELETE', new Set(['delete', 'remove'])],
];

const POLITE = new Set([
  'please',
  'can',
  'could',
  'would',
  'you',
  'i',
  'want',
  'to',
  "i'd",
  'like',
  'ok',
  'okay',
  'now',
  ',',
]);
const GREETING =
  /^(hi|hello|hey|help|hallo|good (morning|afternoon|evening)|who are you|what can you( do)?|what do you do)\b/;

const MODELS =
  /^(which|what|list|show|name|how many)\b.*\b(models?|tables|entities|kinds? of (data|records)|data)\b|^models$/;

/** Understands a message by rules. What they do not cover is `unknown`, never guessed. */
export function intentOf(text: string, toolbox: Toolbox, now: Date): Intent {
  const words = wordsOf(text);
  while (words.length > 1 && POLITE.has((words[0] as Word).low)) words.shift();
  const low = words.map((word) => word.low).join(' ');
  const command = commandIn(words, toolbox, now);
  if (command) return command;
  const mention = modelIn(words, toolbox);
  if (!mention) {
    if (MODELS.test(low)) return { kind: 'models' };
    return GREETING.test(low) ? { kind: 'help' } : { kind: 'unknown', words: [] };
  }
  const { model, at, length, isPlural } = mention;
  if (/^(describe|explain)\b|\b(fields|columns|attributes|structure|schema|definition)\b/.test(low)) {
    return { kind: 'describe', model };
  }
  const isCount = /\b(how many|count|number of)\b/.test(low);
  const search = new ConditionReader(
    [...words.slice(0, at), ...words.slice(at + length)],
    model,
    toolbox.user,
    now,
  ).read();
  const name = nameAfter(words, mention);
  if (!isCount && !isPlural && name !== '' && !(search.unknown.length === 0 && search.filters.length > 0)) {
    return { kind: 'detail', model, name };
  }
  const isAsked = isCount || isPlural || /^(show|list|find|get|display|search|which|what|give|view|see)\b/.test(low);
  if (search.unknown.length > 0 || !isAsked) return { kind: 'unknown', words: search.unknown };
  return { kind: 'search', model, search, isCount };
}

/** `lead Ada`, `the lead named "Ada"`: what stands behind the model. */
function nameAfter(words: readonly Word[], { at, length }: Mention): string {
  const after = words.slice(at + length);
  while (/^(named|called|titled|with|name|is|,|the)$/.test(after[0]?.low ?? '') && !after[0]?.quoted) after.shift();
  return textOfWords(after);
}

function commandIn(words: readonly Word[], toolbox: Toolbox, now: Date): Intent | null {
  const verb = words[0]?.low ?? '';
  const custom = toolbox.commands.find(
    ({ code, operations }) => operations.includes('CUSTOM') && code.split(/[:_]/)[1] === verb,
  );
  const operation = custom ? 'CUSTOM' : VERBS.find(([, verbs]) => verbs.has(verb))?.[0];
  if (!operation) return null;
  const mention = modelIn(words, toolbox) ?? modelIn(words, { ...toolbox, models: modelsOf(toolbox) });
  const { model } = mention ?? {};
  const command =
    custom ?? toolbox.commands.find((one) => one.modelCode === model?.code && one.operations.includes(operation));
  // There is such a verb, but nothing that the caller could do with it here.
  if (!mention || !model || !command) return { kind: 'unknown', words: [] };
  const common = { kind: 'command', command, operation, model } as const;
  if (operation === 'CREATE')
    return { ...common, target: null, ...assignments(words.slice(mention.at + mention.length), command, now) };
  if (operation === 'UPDATE') return { ...common, ...update(words, mention, command, now) };
  return { ...common, target: nameAfter(words, mention), payload: {}, unknown: [] };
}

/** The models of commands, where they cannot be listed. */
function modelsOf({ commands }: Toolbox): KnownModel[] {
  return commands.map(({ modelCode: code, fields }) => {
    return { code, name: code, fields, mayList: false, mayRead: false, mayDescribe: false };
  });
}

type Assigned = Pick<CommandIntent, 'payload' | 'unknown'>;

const JOINTS = new Set([
  ',',
  'and',
  'with',
  'having',
  'named',
  'called',
  'titled',
  'the',
  'a',
  'an',
  'as',
  'for',
  'its',
  'set',
]);
const IS = ['is', '=', 'to', 'of', 'as', 'equals'];

/** `named X with email y and amount 5`: the title first, then fields with their values. */
function assignments(words: readonly Word[], { fields }: KnownCommand, now: Date): Assigned {
  const payload: Record<string, unknown> = {};
  const unknown: string[] = [];
  const title = titleField(fields);
  let at = 0;
  while (at < words.length) {
    const word = words[at] as Word;
    const found = word.quoted ? null : fieldAt(words, at, fields);
    if (found) {
      at += found.length;
      if (IS.includes(words[at]?.low ?? '') && !words[at]?.quoted) at += 1;
      at += assign(payload, found.meaning, words, at, fields, now) || 1;
      if (payload[found.meaning.code] === undefined) unknown.push(found.meaning.name);
      continue;
    }
    if (!word.quoted && JOINTS.has(word.low)) at += 1;
    else if (title && payload[title.code] === undefined) at += assign(payload, title, words, at, fields, now) || 1;
    else {
      unknown.push(word.raw);
      at += 1;
    }
  }
  return { payload, unknown };
}

/** @returns how many words the value takes */
function assign(
  payload: Record<string, unknown>,
  field: KnownField,
  words: readonly Word[],
  at: number,
  fields: readonly KnownField[],
  now: Date,
): number {
  const isText = field.values.length === 0 && (field.type === 'string' || field.type === 'text');
  let end = at + 1;
  if (isText && !words[at]?.quoted) while (end < words.length && !endsValue(words, end, fields)) end += 1;
  const value = valueOf(field, words.slice(at, end), now);
  if (value === undefined) return 0;
  payload[field.code] = value;
  return end - at;
}

/** A name goes on until a comma, or a joint that a field follows. */
function endsValue(words: readonly Word[], at: number, fields: readonly KnownField[]): boolean {
  const { low } = words[at] as Word;
  if (low === ',') return true;
  if (low !== 'and' && low !== 'with' && low !== 'having') return false;
  const next = /^(a|an|the)$/.test(words[at + 1]?.low ?? '') ? at + 2 : at + 1;
  return fieldAt(words, next, fields) !== null;
}

/** `set the status of lead X to open`, `update lead X set amount to 5`, `mark lead X as won`. */
function update(words: readonly Word[], mention: Mention, { fields }: KnownCommand, now: Date) {
  const after = words.slice(mention.at + mention.length);
  const joint = after.findIndex((word) => !word.quoted && ['to', 'as', '=', 'set', 'with', ':'].includes(word.low));
  const target = nameAfter(joint < 0 ? words : words.slice(0, mention.at + mention.length + joint), mention);
  const rest = joint < 0 ? [] : after.slice(joint + 1);
  const before = words.slice(1, mention.at);
  const named = before.map((_, at) => fieldAt(before, at, fields)).find((found) => found !== null);
  if (named) {
    const value = valueOf(named.meaning, rest, now);
    const payload = value === undefined ? {} : { [named.meaning.code]: value };
    return { target, payload, unknown: value === undefined ? [textOfWords(rest)] : [] };
  }
  const value = enumValueAt(rest, 0, fields);
  if (value && value.length === rest.length)
    return { target, payload: { [value.field.code]: value.value }, unknown: [] };
  const title = titleField(fields);
  const isRename = matchAt(words, 0, ['rename']) > 0 && title !== undefined;
  if (isRename) return { target, payload: { [title.code]: textOfWords(rest) }, unknown: [] };
  const start = rest.length > 0 && fieldAt(rest, 0, fields) ? assignments(rest, { fields } as KnownCommand, now) : null;
  return { target, payload: start?.payload ?? {}, unknown: start?.unknown ?? [textOfWords(rest)] };
}
