import { isUniqueViolation } from '../../../foundation/database/failures.ts';
import { conflict, validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { quoted, text } from '../../../foundation/i18n/text.ts';
import type { NoOverlap } from '../../metadata/models/rule-content.ts';
import { tableRules, type TableRule } from '../../metadata/models/tables/table-rules.ts';
import type { Model } from '../../metadata/models/model.ts';
import { MAX_INDEXED_CHARACTERS, MAX_ROW_BYTES, NAMED_WIDE_FIELDS } from '../../metadata/models/models.limits.ts';
import { bytesInRow } from '../../metadata/models/tables/row-width.ts';
import { fieldOfIndex } from '../../metadata/models/tables/table-indexes.ts';
import type { RecordData } from '../reader/record-reader.ts';
import type { ColumnValues } from './payload.ts';

/** New values of a record; `before` is null where it is new. */
export interface WrittenValues {
  readonly before: RecordData | null;
  readonly values: ColumnValues;
}

/** SQLSTATEs of two records that must not be there together, and of a range whose end is before its start. */
const [UNIQUE, OVERLAP, NO_RANGE] = ['23505', '23P01', '22000'];
/** SQLSTATE of a row that is too wide, or of a value that is too long for its index. */
const TOO_LARGE = '54000';

/**
 * What Postgres refuses because of the data becomes an answer that names the field; any other error stays as
 * it is.
 */
export function problemOfWrite(error: unknown, model: Model, written: readonly WrittenValues[]): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string };
  const rule = code === UNIQUE || code === OVERLAP ? ruleNamed(model, constraint) : undefined;
  if (rule) return brokenRule(rule);
  if (code === NO_RANGE && model.rules.noOverlap) return endsBeforeItBegins(model.rules.noOverlap, written);
  const field = fieldOfIndex(model.code, model.fields.keys(), constraint);
  if (isUniqueViolation(error)) {
    const data = field === undefined ? {} : { fieldErrors: { [field]: 'is taken' } };
    return conflict('UNIQUE', 'Another record has this value', data);
  }
  if (code === TOO_LARGE && field !== undefined) {
    const problem = text('is too long for the index of its field: {max} characters', { max: MAX_INDEXED_CHARACTERS });
    return validationError({ [field]: problem });
  }
  if (code === TOO_LARGE) return tooWide(model, written);
  // 22: a value that the column cannot hold.
  return code?.startsWith('22') ? validationError({ payload: 'holds a value that cannot be stored' }) : error;
}

function ruleNamed({ code, rules }: Model, name: string | undefined): TableRule | undefined {
  return tableRules(code, rules).find((rule) => rule.name === name);
}

function brokenRule({ kind, fields, message }: TableRule): ApplicationError {
  const overlaps = kind === 'EXCLUSION';
  const problem = overlaps ? 'overlaps another record' : 'is taken together with the others';
  const fieldErrors = Object.fromEntries(fields.map((field) => [field, problem]));
  const told = overlaps ? 'It overlaps another record' : 'Another record has these values';
  return conflict(overlaps ? 'OVERLAP' : 'UNIQUE', message === undefined ? told : quoted(message), { fieldErrors });
}

/** Postgres makes no range whose end is before its start. */
function endsBeforeItBegins(rules: readonly NoOverlap[], written: readonly WrittenValues[]): ApplicationError {
  const isWrong = ({ from, to }: NoOverlap): boolean =>
    written.some(({ before, values }) => {
      const valueOf = (code: string): unknown => (values.has(code) ? values.get(code) : before?.[code]);
      const [start, end] = [valueOf(from), valueOf(to)];
      return typeof start === typeof end && (start as string) > (end as string);
    });
  const wrong = rules.filter(isWrong);
  const told = (wrong.length > 0 ? wrong : rules).map(
    ({ from, to }) => [to, text('is before {from}', { from })] as const,
  );
  return validationError(Object.fromEntries(told));
}

/** Names the fields that take most of the widest record. */
function tooWide(model: Model, written: readonly WrittenValues[]) {
  const records = written.map(({ before, values }) =>
    [...model.fields.values()].flatMap(({ code, type, content }) =>
      content ? [{ code, bytes: bytesInRow(type, values.has(code) ? values.get(code) : before?.[code]) }] : [],
    ),
  );
  const total = (record: readonly { readonly bytes: number }[]) => record.reduce((sum, { bytes }) => sum + bytes, 0);
  const widest = records.toSorted((a, b) => total(b) - total(a))[0] ?? [];
  const named = widest.toSorted((a, b) => b.bytes - a.bytes).slice(0, NAMED_WIDE_FIELDS);
  const count = widest.filter(({ bytes }) => bytes > 0).length;
  const max = MAX_ROW_BYTES;
  const message = text('The record has too many values: {count} fields take more than the {max} bytes of a row', {
    count,
    max,
  });
  const fields = named.map(({ code, bytes }) => [code, text('takes {bytes} bytes', { bytes })] as const);
  return validationError(Object.fromEntries(fields.length > 0 ? fields : [['payload', message]]), message);
}
