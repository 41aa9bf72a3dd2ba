import type { KnownModel, KnownField, Toolbox } from '../../tools/toolbox.ts';
import { pluralOf, type Search } from './intent.ts';
import type { ToolResult } from '../../tools/tool-call.ts';

/** What the built-in assistant says, in each of its languages. */
export const TEXTS = {
  en: {
    introduction:
      'I am the built-in assistant: I follow fixed rules. An AI model can be configured (AI_BASE_URL, AI_MODEL).',
    help: 'Hello! I understand these forms:',
    unknown: 'I did not understand that. I understand these forms:',
    forms: `- models
- describe <model>
- how many [<value>] <models> are there [where <conditions>]
- list [<value>] <models> [where <conditions>]
- show <model> <name or pid>
- run <command> [<pid>] [{<payload>}]
Conditions: <field> <operator> <value> [and ...], or filter conditions as JSON. Example: list leads where amount > 1000`,
    models: 'Models that I can look into:',
    commands: 'Commands that I can run when you have confirmed them:',
    count: (total: number, model: KnownModel, which: string) =>
      `There ${total === 1 ? 'is' : 'are'} ${amountOf(total, model)}${which}.`,
    list: (shown: number, total: number, model: KnownModel, which: string) =>
      `${shown} of ${amountOf(total, model)}${which}:`,
    done: 'Done',
    running: 'Still running',
    refused: 'That was refused',
    declined: 'All right, I have not done it.',
    expired: 'You have not confirmed it in time, so I have not done it.',
  },
  zh: {
    introduction: '我是内置助手，只按固定规则回答。可以配置 AI 模型（AI_BASE_URL、AI_MODEL）。',
    help: '您好！我能理解以下句式：',
    unknown: '我没有听懂。我能理解以下句式：',
    forms: `- 有哪些模型
- 描述 <模型>
- 有多少 [<值> 的] <模型> [其中 <条件>]
- 列出 [<值> 的] <模型> [其中 <条件>]
- 查看 <模型> <名称或 pid>
- 执行 <命令> [<pid>] [{<内容>}]
条件：<字段> <运算符> <值> [且 ...]，或 JSON 格式的过滤条件。例如：列出 lead 其中 amount > 1000`,
    models: '我可以查询的模型：',
    commands: '经您确认后我可以执行的命令：',
    count: (total: number, { name }: KnownModel, which: string) => `共有 ${total} 条 ${name} 记录${which}。`,
    list: (shown: number, total: number, { name }: KnownModel, which: string) =>
      `共有 ${total} 条 ${name} 记录${which}，显示 ${shown} 条：`,
    done: '已完成',
    running: '仍在执行',
    refused: '请求被拒绝',
    declined: '好的，命令没有执行。',
    expired: '您没有及时确认，命令没有执行。',
  },
};

export type Texts = (typeof TEXTS)['en'];

function amountOf(total: number, { name }: KnownModel): string {
  return `${total} ${total === 1 ? name.toLowerCase() : pluralOf(name.toLowerCase())}`;
}

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
    // The name of what a field refers to stands beside it.
    const path = Object.keys(record).find((key) => key.startsWith(`${code}.`)) ?? code;
    const value = record[path] ?? record[code] ?? null;
    if (value === null) return [];
    return `${name}: ${(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN.characters)}`;
  });
}
