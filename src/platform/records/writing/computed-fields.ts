import { throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import { computedValues } from '../../metadata/models/computed-values.ts';
import type { Model } from '../../metadata/models/model.ts';
import type { RecordData } from '../reader/record-reader.ts';
import type { ColumnValues } from './payload.ts';

/**
 * The values of a write with those of the computed fields.
 * @param before null for a new record
 * @throws VALIDATION_ERROR at a field whose value does not fit it; EXPRESSION_LIMIT
 */
export function withComputed(model: Model, before: RecordData | null, values: ColumnValues): ColumnValues {
  if (model.computed.length === 0) return values;
  const record: Record<string, unknown> = {};
  for (const { code, type, content } of model.fields.values()) {
    if (!content) continue;
    const value = values.has(code) ? values.get(code) : before?.[code];
    // The parameter of a JSON field is its text.
    const isText = type === 'json' && values.has(code) && typeof value === 'string';
    record[code] = (isText ? JSON.parse(value) : value) ?? null;
  }
  const computed = computedValues(model, record);
  throwIfInvalid(computed.problems);
  return new Map([...values, ...computed.values]);
}
