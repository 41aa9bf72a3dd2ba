import { modelOf, readableField } from '../broken-data-source.ts';
import { Type } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { closedObject, IDENTIFIER, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import { enumOptions } from '../../../platform/metadata/models/enum-options.ts';
import type { DataSourceKind } from './kind.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('dictionary'),
  modelCode: IDENTIFIER,
  field: IDENTIFIER,
});

/** The values of an enum field with their labels in the reader's language. */
export const DICTIONARY: DataSourceKind<typeof SCHEMA> = {
  schema: SCHEMA,
  references: ({ modelCode, field }) => [toModel('modelCode', modelCode), toModel('field', modelCode, field)],
  problems({ modelCode, field }, models) {
    const problems: FieldErrors = {};
    const problem = problemOfField(models.get(modelCode), field);
    if (problem !== null) problems['content.field'] = problem;
    return problems;
  },
  columnNames: () => ['value', 'label'],
  columns: () => [
    { name: 'value', type: 'string' },
    { name: 'label', type: 'string' },
  ],
  rows({ modelCode, field }, { actor, maxItems, language }) {
    const model = modelOf(actor, modelCode);
    const readable = readableField(model, field, actor);
    const options = enumOptions(model.code, readable.content ?? readable, language);
    return options.slice(0, maxItems);
  },
};

/** A model or field that is not there is a reference without an end. */
function problemOfField(model: Model | undefined, code: string): Message | null {
  const type = model?.fields.get(code)?.type;
  return type === undefined || type === 'enum' ? null : text('is {type}, not enum', { type });
}
