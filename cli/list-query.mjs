import { valueOf } from './assignments.mjs';
import { UsageError } from './outcome.mjs';

/** Options that say which records, in which order, with which fields; `field` is the name in a request. */
export const LIST_OPTIONS = /** @type {const} */ ({
  where: {
    type: 'string',
    multiple: true,
    field: 'filters',
    about: 'a condition: field, operator, and a value (JSON, or a text); several are joined by AND',
  },
  keyword: { type: 'string', about: 'a word that the records have' },
  sort: { type: 'string', field: 'sortField', about: 'a field; with - before it, the greatest first' },
  columns: { type: 'string', field: 'fields', about: 'fields, separated by commas (those of the page)' },
});

/** @returns {Record<string, string | undefined>} of a list or an export @throws {UsageError} */
export function listQuery(/** @type {Record<string, any>} */ { where = [], keyword, sort, columns }) {
  return {
    ...(where.length > 0 && { filters: JSON.stringify(where.map(conditionOf)) }),
    ...(sort !== undefined && { sortField: sort.replace(/^-/, ''), sortOrder: sort.startsWith('-') ? 'desc' : 'asc' }),
    keyword,
    fields: columns,
  };
}

/** @throws {UsageError} */
function conditionOf(/** @type {string} */ given) {
  const [, fieldName, operator, value] = /^\s*(\S+)\s+(\S+)(?:\s+(.*\S))?\s*$/s.exec(given) ?? [];
  if (!fieldName || !operator)
    throw new UsageError(`--where takes a field, an operator and a value, such as 'status eq open': not ${given}`);
  return { fieldName, operator, ...(value !== undefined && { value: valueOf(value) }) };
}
