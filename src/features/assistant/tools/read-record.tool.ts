import { type ReadTool, shownRecord } from './tool-kind.ts';
import { notFound, validationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { relationNamed } from '../../../platform/records/query/expansion.ts';
import { codesThat, modelFor, namedFields, showsRecordsOf, type ToolCaller } from './toolbox.ts';

const RELATED =
  'Related records to read as well: a field of type relation, a relation of the model, or `<model>.<field>` for the ' +
  'records of another model that name this one in that field';

export const readRecordTool: ReadTool = {
  name: 'read_record',
  define(toolbox) {
    const codes = codesThat('mayRead', toolbox);
    if (codes.length === 0) return null;
    return {
      description: 'Reads one record.',
      properties: {
        model: { type: 'string', enum: codes },
        pid: { type: 'string', description: "The record's pid" },
        expand: { type: 'array', items: { type: 'string' }, description: RELATED },
      },
      required: ['model', 'pid'],
    };
  },
  async read(caller, args, { records }) {
    const model = modelFor(caller, 'read', args);
    const { pid, expand = [] } = args;
    const paths = relationsIn(expand, model, caller);
    const conditions = [{ fieldName: 'pid', operator: 'eq', value: String(pid) }];
    const asked = { conditions, fields: namedFields(model, caller), expand: [...paths], count: 'none' as const };
    const { records: found } = await records.list(caller.actor, model.code, asked);
    const [record] = found;
    if (!record) throw notFound('There is no such record');
    return { model: model.code, record: shownRecord(record) };
  },
};

/** @throws VALIDATION_ERROR, also for relations to models that the assistant may not show */
function relationsIn(names: unknown, model: Model, { actor, assistant }: ToolCaller): readonly string[] {
  if (!Array.isArray(names)) throw validationError({ expand: 'must be an array' });
  for (const name of names) {
    const target = relationNamed(String(name), model, actor)?.model;
    if (target && showsRecordsOf(assistant.tools, target.code)) continue;
    const values = { path: String(name).slice(0, 100), model: model.code };
    throw validationError({ expand: text('{path} is not a relation of {model}', values) });
  }
  return names.map(String);
}
