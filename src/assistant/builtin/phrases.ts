import type { ToolResult } from '../step.ts';
import type { KnownField, KnownModel, Toolbox } from '../toolbox.ts';
import type { Search } from './conditions.ts';
import { nameOf } from './lexicon.ts';
import { pluralOf } from './words.ts';

type Data = Readonly<Record<string, unknown>>;

const HIDDEN = new Set(['pid', 'created_by', 'updated_by', 'version', 'updated_at']);
const SHOWN_FIELDS = 4;

export const INTRODUCTION =
  'I am the built-in assistant: I follow fixed rules, no AI model is connected, and I only understand simple questions.';

/** What can be asked, in words of the caller's own models. */
export function examples({ models, commands }: Toolbox): string {
  const lines: string[] = [];
  const [first] = models.filter(({ mayList }) => mayList).sort((a, b) => weight(b) - weight(a));
  if (first) {
    const { field, value } = enumOf(first) ?? {};
    const amount = first.fields.find(({ type }) => type === 'decimal');
    lines.push(`how many ${value ? `${value} ` : ''}${plural(first)}`, `show my newest 5 ${plural(first)}`);
    if (field && value && amount)
      lines.push(`list ${plural(first)} with ${field.code} ${value} and ${amount.code} over 1000`);
  }
  const described =
    models.find(({ mayDescribe, code }) => mayDescribe && code === first?.code) ??
    models.find(({ mayDescribe }) => mayDescribe);
  if (described) lines.push(`which fields does ${singular(described)} have`);
  lines.push('which models exist');
  const create = commands.find(
    ({ operations, modelCode }) => operations.includes('CREATE') && modelCode === (first?.code ?? modelCode),
  );
  if (create) lines.push(`create a ${create.modelCode.replaceAll('_', ' ')} named Ada Example`);
  return lines.map((line) => `- ${line}`).join('\n');
}

export function modelsText({ models }: Toolbox): string {
  if (models.length === 0) return 'There is no model that I may show you.';
  const lines = models.map((model) => `- ${model.name} (${model.code})`);
  return `These are the models that I can look into for you:\n${lines.join('\n')}`;
}

export function fieldsText(data: Data): string {
  const { name, fields } = data as { name: string; fields: KnownField[] };
  const lines = fields.map(({ code, name: label, type, values, required, target }) => {
    const kind = values.length > 0 ? `one of ${values.join(', ')}` : target ? `${type} to ${target}` : type;
    return `- ${code}${label === code ? '' : ` (${label})`}: ${kind}${required ? ', required' : ''}`;
  });
  return `${name} has these fields:\n${lines.join('\n')}`;
}

export function countText(model: KnownModel, { said }: Search, data: Data): string {
  const total = Number(data.total);
  const what = `${total} ${total === 1 ? singular(model) : plural(model)}`;
  return `There ${total === 1 ? 'is' : 'are'} ${what}${saidText(said)}.`;
}

export function listText(model: KnownModel, { said }: Search, data: Data): string {
  const { total, records } = data as { total: number; records: Data[] };
  if (total === 0) return `There are no ${plural(model)}${saidText(said)}.`;
  const head =
    records.length < total
      ? `${records.length} of ${total} ${plural(model)}`
      : `${total} ${total === 1 ? singular(model) : plural(model)}`;
  return `Here ${records.length === 1 ? 'is' : 'are'} ${head}${saidText(said)}:\n${records.map((record) => lineOf(record, model)).join('\n')}`;
}

export function detailText(model: KnownModel, record: Data): string {
  const lines = model.fields
    .filter(({ code }) => record[code] !== null && record[code] !== undefined && code !== 'version')
    .map(({ code, name }) => `- ${name}: ${shown(record[code])}`);
  return `${model.name} ${nameOf(record, model)}:\n${lines.join('\n')}`;
}

export function choiceText(model: KnownModel, name: string, data: Data): string {
  const { total, records } = data as { total: number; records: Data[] };
  if (total === 0) return `I found no ${singular(model)} that matches "${name}".`;
  const lines = records.map((record) => `${lineOf(record, model)} (${String(record.pid)})`);
  return `${total} ${plural(model)} match "${name}". Which one do you mean? Say its full name or its id:\n${lines.join('\n')}`;
}

export function unknownText(toolbox: Toolbox, words: readonly string[]): string {
  const what =
    words.length === 0
      ? 'I did not understand that.'
      : `I did not understand ${words.map((word) => `"${word}"`).join(', ')}, so I had better not guess.`;
  return `${what} ${INTRODUCTION} Try one of these:\n${examples(toolbox)}`;
}

export function refusalText(result: Extract<ToolResult, { ok: false }>): string {
  if (result.code === 'DECLINED') return 'All right, I have not done it.';
  if (result.code === 'EXPIRED') return 'You have not confirmed it in time, so I have not done it.';
  const { fieldErrors, permission } = (result.data ?? {}) as { fieldErrors?: Data; permission?: string };
  const details = fieldErrors
    ? Object.entries(fieldErrors).map(([field, problem]) => `\n- ${field}: ${String(problem)}`)
    : [];
  const lacking = permission ? ` (${permission})` : '';
  return `That was refused: ${result.message}${lacking}.${details.join('')}`;
}

export function doneText(command: string, data: Data): string {
  const { result, status } = data as { result?: Data | null; status?: string };
  if (status) return `"${command}" has begun and is still running (execution ${String(data.executionPid)}).`;
  const name = result && (result.name ?? result.title ?? result.subject);
  const pid = result?.pid;
  const record = typeof pid === 'string' ? ` ${typeof name === 'string' ? `"${name}" ` : ''}(${pid})` : '';
  return `Done: ${command}${record}.`;
}

function lineOf(record: Data, model: KnownModel): string {
  const name = nameOf(record, model);
  const rest = model.fields
    .filter(
      ({ code, target }) =>
        !HIDDEN.has(code) && target === null && record[code] !== null && shown(record[code]) !== name,
    )
    .filter(({ code }) => record[code] !== undefined && code !== 'created_at')
    .slice(0, SHOWN_FIELDS)
    .map(({ code, name: label }) => `${label.toLowerCase()} ${shown(record[code])}`);
  return `- ${name}${rest.length > 0 ? `: ${rest.join(', ')}` : ''}`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function saidText(said: readonly string[]): string {
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

function singular({ name }: KnownModel): string {
  return name.toLowerCase();
}

function plural(model: KnownModel): string {
  return pluralOf(singular(model));
}

function enumOf({ fields }: KnownModel): { field: KnownField; value: string } | null {
  const field = fields.find(({ values }) => values.length > 0);
  const value = field?.values.find((one) => one === 'open') ?? field?.values[0];
  return field && value ? { field, value } : null;
}

/** The model with the most to ask about makes the best examples. */
function weight({ fields }: KnownModel): number {
  const isOpen = fields.some(({ values }) => values.includes('open'));
  return (isOpen ? 100 : 0) + fields.filter(({ type }) => type === 'decimal').length * 50 + fields.length;
}
