import { isUniqueViolation } from '../../../foundation/database/failures.ts';
import { conflict, validationError } from '../../../foundation/errors/application-error.ts';
import { uniqueIndexName } from '../../../platform/metadata/models/tables/table-indexes.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';

/** What Postgres refuses because of the data becomes an answer that names the field. */
export function problemOfWrite(error: unknown, model: Model): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (isUniqueViolation(error)) {
    const field = [...model.fields.keys()].find((fieldCode) => uniqueIndexName(model.code, fieldCode) === constraint);
    const data = field ? { fieldErrors: { [field]: 'is taken' } } : {};
    return conflict('UNIQUE', 'Another record has this value', data);
  }
  // 22: a value that the column cannot hold; 54000: one too long for its index.
  if (code?.startsWith('22') || code === '54000')
    return validationError({ payload: 'holds a value that cannot be stored' });
  return error;
}
