import { type ReadTool, shownRecord } from './tool-kind.ts';
import { validationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { OPERATORS } from '../../../platform/records/conditions/filter-condition.ts';
import { DEFAULT_LISTED, MAX_LISTED, MAX_RESULT_CHARACTERS } from '../assistant.limits.ts';
import { codesThat, modelFor, namedFields } from './toolbox.ts';

export const listRecordsTool: ReadTool = {
  name: 'list_records',
  define(toolbox) {
    const codes = codesThat('mayList', toolbox);
    if (codes.length === 0) return null;
    const filters = `Conditions joined by AND: {"fieldName", "operator", "value"}; operators: ${OPERATORS.join(', ')}`;
    return {
      description: 'Finds records of a model and counts all that match. For a count alone use limit 0.',
      properties: {
        model: { type: 'string', enum: codes },
        filters: { type: 'array', items: { type: 'object' }, description: filters },
        keyword: { type: 'string', description: 'A text in any searchable field' },
        sortField: { type: 'string', description: 'Default created_at' },
        sortOrder: { type: 'string', enum: ['asc', 'desc'] },
        limit: { type: 'integer', minimum: 0, maximum: MAX_LISTED },
      },
      required: ['model'],
    };
  },
  async read(caller, args, { records: service }) {
    const model = modelFor(caller, 'list', args);
    const { filters = [], limit = DEFAULT_LISTED, keyword, sortField, sortOrder } = args;
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0 || limit > MAX_LISTED) {
      const problem = text('must be a whole number from {min} to {max}', { min: 0, max: MAX_LISTED });
      throw validationError({ limit: problem });
    }
    const conditions = { filters: JSON.stringify(filters), fields: namedFields(model, caller).join(',') };
    const names = { keyword, sortField, sortOrder, pageSize: String(limit || 1), ...conditions };
    const { records, total } = await service.listByNames(caller.actor, model.code, names);
    const listed = limit === 0 ? [] : records.map(shownRecord);
    while (listed.length > 1 && JSON.stringify(listed).length > MAX_RESULT_CHARACTERS) listed.pop();
    return { model: model.code, total, records: listed };
  },
};
