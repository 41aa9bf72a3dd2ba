import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import { text } from '../../../../foundation/i18n/text.ts';
import { FIELD_TYPES, type FieldType } from '../../field-types/field-types.ts';
import type { ModelContent } from '../model-content.ts';
import { MAX_ROW_BYTES } from '../models.limits.ts';

/** What a value of any length takes in its row at most: a longer one leaves a pointer there. */
const VARIABLE = 24;
/** Column type -> bytes that a value takes, and up to so many before it, so that it begins where it may. */
const FIXED: Readonly<Record<string, number>> = {
  boolean: 1,
  integer: 4,
  date: 4,
  bigint: 8,
  'timestamp(3) with time zone': 8,
};
/** The header of a row, and the columns that every table has. */
const OVERHEAD = 160;

/** The bytes of its row that a value can take at most, the gap before it included. */
function widest(type: FieldType): number {
  const fixed = FIXED[FIELD_TYPES[type].column];
  return fixed === undefined ? VARIABLE : fixed * 2 - 1;
}

/** The bytes of its row that a value takes: what is longer than a pointer can be moved out. */
export function bytesInRow(type: FieldType, value: unknown): number {
  if (value === null || value === undefined) return 0;
  const fixed = FIXED[FIELD_TYPES[type].column];
  if (fixed !== undefined) return fixed;
  const given = typeof value === 'string' ? value : JSON.stringify(value);
  return Math.min(VARIABLE, Buffer.byteLength(given) + 1);
}

/** What the author of a model should know whose records may not fit in a row: path -> warning. */
export function warningsOfWidth({ fields }: ModelContent): FieldErrors {
  const bytes = fields.reduce((sum, { type }) => sum + widest(type), OVERHEAD + Math.ceil(fields.length / 8));
  if (bytes <= MAX_ROW_BYTES) return {};
  const warning = text(
    'a record with a short value in each field takes {bytes} bytes, and a row has {max}: it is refused',
    {
      bytes,
      max: MAX_ROW_BYTES,
    },
  );
  return { 'content.fields': warning };
}
