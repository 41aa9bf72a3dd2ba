import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { RESERVED_FIELD_CODES } from '../../../platform/metadata/models/model.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from '../command-content.ts';

/** Problems of a command's `relations` by themselves: path -> problem. */
export function problemsOfRelations({ relations, operations, steps }: CommandContent): FieldErrors {
  if (!relations) return {};
  const problems: FieldErrors = {};
  const changes = operations.some((operation) => operation === 'UPDATE' || operation === 'UPSERT');
  if (steps || !(changes || operations.includes('CREATE'))) {
    problems['content.relations'] = 'is for commands without steps that create or update a record';
  }
  const codes = new Set<string>();
  const fields = new Set<string>();
  for (const [index, { code, modelCode, field, operations: own }] of relations.entries()) {
    const at = `content.relations.${index}`;
    const place = `${modelCode}.${field}`;
    if (codes.has(code)) problems[`${at}.code`] = 'is named twice';
    if (fields.has(place)) problems[`${at}.field`] = 'is named twice';
    codes.add(code);
    fields.add(place);
    if (!changes && own.some((operation) => operation !== 'CREATE')) {
      problems[`${at}.operations`] = 'is CREATE alone where the command does not update';
    }
  }
  return problems;
}

/** Problems of `relations` beside the models: path -> problem. */
export function problemsOfRelatedModels(
  { modelCode, relations = [] }: CommandContent,
  after: Configuration,
): FieldErrors {
  const problems: FieldErrors = {};
  const own = after.find(MODEL, modelCode)?.fields;
  for (const [index, { code, modelCode: related, field, operations }] of relations.entries()) {
    const at = `content.relations.${index}`;
    if (own?.has(code) || RESERVED_FIELD_CODES.has(code)) {
      problems[`${at}.code`] = text('is a field of {model}', { model: modelCode });
    }
    const relation = after.find(MODEL, related)?.fields.get(field)?.content;
    // References tell of a model or a field that is not there.
    if (!relation) continue;
    if (relation.target !== modelCode) {
      problems[`${at}.field`] = text('is not a relation to {model}', { model: modelCode });
    } else if (relation.required && operations.includes('UNLINK')) {
      problems[`${at}.operations`] = 'has UNLINK, but the field is required: use DELETE';
    }
  }
  return problems;
}
