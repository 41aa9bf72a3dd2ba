import { mapsIn } from './maps-in.ts';
import { fieldsOf } from './model-content.ts';
import type { Content } from './yaml-text.ts';

/** The variables of an expression, with the keys that each is known to have. */
export type CelNames = ReadonlyMap<string, readonly string[]>;

const OF_RECORDS = ['pid', 'version', 'created_at', 'updated_at'];
const ACTOR = ['pid', 'username', 'tenantId'];

/** What expressions of a resource may name. @param model what the resource is about, if it is about one */
export function celNamesOf(type: string, content: Content, model: Content | null): CelNames {
  const codes = (fields: readonly { readonly code?: string }[]): string[] => fields.flatMap(({ code }) => code ?? []);
  const ofModel = codes(fieldsOf(model));
  const record = [...ofModel, ...OF_RECORDS];
  if (type === 'MODEL') return new Map([['record', [...codes(fieldsOf(content)), ...OF_RECORDS]]]);
  if (type === 'COMMAND') {
    const payload = Array.isArray(content.payload) ? codes(mapsIn(content.payload)) : ofModel;
    return new Map([
      ['record', record],
      ['payload', payload],
      ['steps', []],
      ['actor', ACTOR],
      ['now', []],
    ]);
  }
  if (type !== 'AUTOMATION') return new Map();
  return new Map([
    ['input', codes(mapsIn(content.input))],
    ['event', []],
    ['steps', []],
    ['item', []],
    ['index', []],
    ['loops', []],
    ['run', ['pid', 'automationCode', 'createdAt', 'startedBy']],
    ['actor', ACTOR],
    ['now', []],
  ]);
}
