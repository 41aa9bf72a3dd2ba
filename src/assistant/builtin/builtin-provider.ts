import { setTimeout as sleep } from 'node:timers/promises';
import type { Piece, Provider, Turn } from '../provider.ts';
import type { ToolCall, ToolResult } from '../step.ts';
import { MAX_LISTED } from '../tool-definitions.ts';
import type { KnownModel, Toolbox } from '../toolbox.ts';
import type { Search } from './conditions.ts';
import { intentOf, type CommandIntent, type Intent } from './intent.ts';
import { nameOf } from './lexicon.ts';
import * as phrases from './phrases.ts';

type Data = Readonly<Record<string, unknown>>;

/** What the rules do next: use a tool, or say the answer. */
type Move = { readonly call: Omit<ToolCall, 'id'> } | { readonly text: string };

/** From one word to the next: an answer that is there at once, and can still be followed. */
const WORD_MS = 8;
const PID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const FOUND = 5;

/**
 * The assistant that needs nobody: it understands simple questions by rules, in English, and uses the same tools as a model
 * would. It says what it is, and it does not answer what it has not understood completely.
 */
export class BuiltinProvider implements Provider {
  async *answer({ said, steps, partial, toolbox, signal }: Turn): AsyncIterable<Piece> {
    const question = said.findLast(({ role }) => role === 'user')?.text ?? '';
    const results = steps.flatMap((step) => (step.kind === 'result' ? [step.result] : []));
    const known = toolbox ?? { user: { pid: '', username: '' }, models: [], commands: [] };
    const move = next(intentOf(question, known, new Date()), results, known);
    if ('call' in move) {
      yield { kind: 'call', call: move.call };
      return;
    }
    const isFirst = said.length <= 1 && !move.text.includes(phrases.INTRODUCTION);
    const text = isFirst ? `${move.text}\n\n(${phrases.INTRODUCTION})` : move.text;
    // A worker that takes over says the rest; where the data has changed since, it begins a new line.
    const rest = text.startsWith(partial) ? text.slice(partial.length) : `\n${text}`;
    for (const word of rest.match(/\s*\S+/g) ?? []) {
      yield { kind: 'text', text: word };
      await sleep(WORD_MS, undefined, { signal });
    }
  }
}

function next(intent: Intent, results: readonly ToolResult[], toolbox: Toolbox): Move {
  const last = results.at(-1);
  if (last && !last.ok) return { text: phrases.refusalText(last) };
  const data = last?.ok ? (last.data as Data) : null;
  switch (intent.kind) {
    case 'help':
      return { text: `Hello! ${phrases.INTRODUCTION} Try one of these:\n${phrases.examples(toolbox)}` };
    case 'models':
      return { text: phrases.modelsText(toolbox) };
    case 'unknown':
      return { text: phrases.unknownText(toolbox, intent.words) };
    case 'describe':
      return data ? { text: phrases.fieldsText(data) } : call('describe_model', { model: intent.model.code });
    case 'search':
      return search(intent, data);
    case 'detail':
      return detail(intent.model, intent.name, data);
    case 'command':
      return command(intent, results, data);
  }
}

function search({ model, search: asked, isCount }: Extract<Intent, { kind: 'search' }>, data: Data | null): Move {
  if (data) return { text: isCount ? phrases.countText(model, asked, data) : phrases.listText(model, asked, data) };
  return list(model, asked, isCount ? 0 : Math.min(asked.limit ?? 10, MAX_LISTED));
}

function list(
  model: KnownModel,
  { filters, keyword, sort }: Pick<Search, 'filters' | 'keyword' | 'sort'>,
  limit: number,
): Move {
  return call('list_records', {
    model: model.code,
    limit,
    ...(filters.length > 0 && { filters }),
    ...(keyword !== null && { keyword }),
    ...(sort && { sortField: sort.fieldName, sortOrder: sort.order }),
  });
}

function detail(model: KnownModel, name: string, data: Data | null): Move {
  if (data?.record) return { text: phrases.detailText(model, data.record as Data) };
  if (!data && PID.test(name)) return call('read_record', { model: model.code, pid: name });
  if (!data) return find(model, name);
  const found = theOne(model, name, data);
  if (!found) return { text: phrases.choiceText(model, name, data) };
  if (!model.mayRead) return { text: phrases.detailText(model, found) };
  return call('read_record', { model: model.code, pid: found.pid });
}

function command(intent: CommandIntent, results: readonly ToolResult[], data: Data | null): Move {
  const { command: asked, operation, model, target, payload, unknown } = intent;
  if (unknown.length > 0) {
    const what = unknown.map((word) => `"${word}"`).join(', ');
    return { text: `I did not understand ${what}, so I have not done anything. ${phrases.INTRODUCTION}` };
  }
  if (operation !== 'DELETE' && operation !== 'CUSTOM' && Object.keys(payload).length === 0) {
    const example =
      operation === 'CREATE'
        ? `create a ${model.code} named Ada Example`
        : `set status of ${model.code} Ada Example to open`;
    return { text: `Which values should it have? For example: ${example}` };
  }
  if (data && 'executionPid' in data) return { text: phrases.doneText(asked.name, data) };
  const run = (pid?: unknown): Move => {
    const body = { command: asked.code, operationType: operation, ...(operation !== 'DELETE' && { payload }) };
    return call('run_command', { ...body, ...(pid !== undefined && { targetRecordId: pid }) });
  };
  if (operation === 'CREATE' || (operation === 'CUSTOM' && !asked.takesTarget)) return run();
  if (target === null || target === '') return { text: `Which ${model.name.toLowerCase()} do you mean? Say its name.` };
  if (PID.test(target)) return run(target);
  if (results.length === 0) return find(model, target);
  const found = data && theOne(model, target, data);
  return found ? run(found.pid) : { text: phrases.choiceText(model, target, data ?? { total: 0, records: [] }) };
}

function find(model: KnownModel, name: string): Move {
  return list(model, { filters: [], keyword: name, sort: null }, FOUND);
}

/** The only record that was found, or the only one that is called just so. */
function theOne(model: KnownModel, name: string, data: Data): Data | null {
  const { total, records } = data as { total: number; records: Data[] };
  const exact = records.filter((record) => nameOf(record, model).toLowerCase() === name.toLowerCase());
  if (exact.length === 1) return exact[0] ?? null;
  return total === 1 ? (records[0] ?? null) : null;
}

function call(name: string, given: Data): Move {
  return { call: { name, arguments: JSON.stringify(given) } };
}
