import { conflict, validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { quoted } from '../../../foundation/i18n/text.ts';
import type { Model } from '../../metadata/models/model.ts';
import { brokenCheck } from '../../metadata/models/record-checks.ts';
import type { RecordData } from '../reader/record-reader.ts';

/** Holds records against their model's `checks`. @throws the first broken one's error; EXPRESSION_LIMIT */
export function checkRecords(model: Model, records: Iterable<RecordData>): void {
  if (model.checks.length === 0) return;
  for (const record of records) {
    const broken = brokenCheck(model, record);
    if (!broken) continue;
    const { message, reason, fields = ['payload'] } = broken;
    throw refused(message, reason === undefined ? { fields } : { reason });
  }
}

/** What a caller hears where an author's condition does not hold: 409 with a reason, or 400 at fields. */
export function refused(
  message: string,
  as: { readonly reason: string } | { readonly fields: readonly string[] },
): ApplicationError {
  const told = quoted(message);
  if ('reason' in as) return conflict(as.reason, told);
  return validationError(Object.fromEntries(as.fields.map((field) => [field, told])), told);
}
