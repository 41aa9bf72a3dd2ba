import {
  TEXTS,
  type Texts,
  commandText,
  fieldsText,
  modelsText,
  recordText,
  refusalText,
  searchText,
  type Data,
} from './texts.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolCall } from '../../tools/tool-call.ts';
import type { Toolbox } from '../../tools/toolbox.ts';
import type { CompletionChunk, Provider, Turn } from '../provider.ts';
import { readIntent, type Intent } from './intent.ts';
import { BUILTIN_WORD_MS } from '../../assistant.limits.ts';

type Call = Omit<ToolCall, 'id'>;

const LISTED = 10;
const PID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const NO_TOOLS: Toolbox = { user: { pid: '', username: '' }, models: [], commands: [] };

/**
 * Replies by rules instead of an AI model, with the same tools. It understands the forms of `intent.ts`
 * alone.
 */
export class BuiltinProvider implements Provider {
  async *complete({ messages, toolLog, partial, toolbox, signal }: Turn): AsyncIterable<CompletionChunk> {
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const { intent, language } = readIntent(question, toolbox ?? NO_TOOLS);
    const texts = TEXTS[language];
    const result = toolLog.flatMap((entry) => (entry.kind === 'result' ? [entry.result] : [])).at(-1);
    const next =
      result?.ok === false
        ? refusalText(result, texts)
        : nextStep(intent, result?.data as Data | undefined, toolbox ?? NO_TOOLS, texts);
    if (typeof next !== 'string') {
      yield { kind: 'call', call: next };
      return;
    }
    const isIntroduced = messages.length > 1 && intent.kind !== 'help' && intent.kind !== 'unknown';
    const text = isIntroduced ? next : `${next}\n\n(${texts.introduction})`;
    // A worker that takes over sends the rest. If the data has changed since, it begins a new line.
    const rest = text.startsWith(partial) ? text.slice(partial.length) : `\n${text}`;
    for (const word of rest.match(/\s*\S+/g) ?? []) {
      yield { kind: 'text', text: word };
      await sleep(BUILTIN_WORD_MS, undefined, { signal });
    }
  }
}

/** The next tool call, or the text of the reply. @param data the result of the last tool */
function nextStep(intent: Intent, data: Data | undefined, toolbox: Toolbox, texts: Texts): Call | string {
  switch (intent.kind) {
    case 'help':
    case 'unknown':
      return `${texts[intent.kind]}\n${texts.forms}`;
    case 'models':
      return modelsText(toolbox, texts);
    case 'describe':
      return data ? fieldsText(data) : call('describe_model', { model: intent.model.code });
    case 'count':
    case 'list': {
      if (data) return searchText(intent, data, texts);
      const limit = intent.kind === 'count' ? 0 : LISTED;
      return call('list_records', { model: intent.model.code, limit, filters: intent.filters });
    }
    case 'show':
      return show(intent, data, texts);
    case 'run':
      return data ? commandText(intent.code, data, texts) : call('run_command', intent.args);
  }
}

/** Reads the record with the pid, or the only one that the name finds; otherwise lists what it finds. */
function show({ model, name }: Extract<Intent, { kind: 'show' }>, data: Data | undefined, texts: Texts): Call | string {
  if (data?.record) return recordText(model, data.record as Data);
  if (PID.test(name)) return call('read_record', { model: model.code, pid: name });
  if (!data) return call('list_records', { model: model.code, limit: LISTED, keyword: name });
  const [found, another] = data.records as Data[];
  if (found && !another && model.mayRead) return call('read_record', { model: model.code, pid: found.pid });
  return searchText({ kind: 'list', model, filters: [], conditions: [`"${name}"`] }, data, texts);
}

function call(name: string, args: Data): Call {
  return { name, arguments: JSON.stringify(args) };
}
