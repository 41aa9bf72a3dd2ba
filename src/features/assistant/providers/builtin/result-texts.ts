import type { ToolResult } from '../../tools/step.ts';
import type { KnownField, KnownModel, Toolbox } from '../../tools/toolbox.ts';
import type { Search } from './intent.ts';
import type { Texts } from './texts.ts';

export type Data = Readonly<Record<string, unknown>>;

const SYSTEM_FIELDS = new Set(['pid', 'version', 'created_at', 'created_by', 'updated_at', 'updated_by']);
const SHOWN = { fields: 4, characters: 200 };

export function modelsText({ models, commands }: Toolbox, texts: Texts): string {
  const lines = (known: readonly { code: string; name: string }[]): string =>
    known.map(({ code, name }) => `\n- ${name} (${code})`).join('') || ' -';
  return `${texts.models}${lines(models)}\n${texts.commands}${lines(commands)}`;
}

export function fieldsText(data: Data): string {
  const { name, fields, relations } = data as unknown as KnownModel;
  const lines = fields.map(({ code, name: label, type, values, required, target }) => {
    const kind = values.length > 0 ? values.join(' | ') : target ? `${type} -> ${target}` : type;
    return `- ${code}${required ? '*' : ''} (${label}): ${kind}`;
  });
  lines.push(...relations.map(({ code, name: label, target }) => `- ${code} (${label}): -> ${target}`));
  return `${name}:\n${lines.join('\n')}`;
}

export function searchText({ kind, model, conditions }: Search, data: Data, texts: Texts): string {
  const { total, records } = data as { total: number; records: readonly Data[] };
  const which = conditions.length > 0 ? ` (${conditions.join(', ')})` : '';
  if (kind === 'count' || total === 0) return texts.count(total, model, which);
  const lines = records.map((record) => {
    const own = model.fields.filter(({ code }) => !SYSTEM_FIELDS.has(code));
    return `- ${String(record.pid)}: ${valuesOf(record, own).slice(0, SHOWN.fields).join(', ')}`;
  });
  return [texts.list(records.length, total, model, which), ...lines].join('\n');
}

export function recordText({ name, fields }: KnownModel, record: Data): string {
  return [`${name}:`, ...valuesOf(record, fields)].join('\n- ');
}

export function commandText(code: string, { result, status, executionPid }: Data, texts: Texts): string {
  if (status) return `${texts.running}: ${code} (${String(executionPid)}).`;
  const { pid } = (result ?? {}) as Data;
  return `${texts.done}: ${code}${typeof pid === 'string' ? ` (${pid})` : ''}.`;
}

export function refusalText({ code, message, data }: Extract<ToolResult, { ok: false }>, texts: Texts): string {
  if (code === 'DECLINED') return texts.declined;
  if (code === 'EXPIRED') return texts.expired;
  const { fieldErrors = {}, permission } = (data ?? {}) as { fieldErrors?: Data; permission?: string };
  const lines = Object.entries(fieldErrors).map(([field, problem]) => `\n- ${field}: ${String(problem)}`);
  return `${texts.refused}: ${message}${permission ? ` (${permission})` : ''}.${lines.join('')}`;
}

function valuesOf(record: Data, fields: readonly KnownField[]): string[] {
  return fields.flatMap(({ code, name }) => {
    const value = record[code] ?? null;
    if (value === null) return [];
    return `${name}: ${(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN.characters)}`;
  });
}
