import { createHash } from 'node:crypto';
import { FIELD_TYPES, type FieldType } from '../../field-types/field-types.ts';
import { checkFieldValue } from '../../field-types/field-value.ts';
import type { FieldContent } from '../../field-types/field-content.ts';
import { quoteIdentifier } from '../model.ts';
import type { ModelContent } from '../model-content.ts';
import type { NoOverlap } from '../rule-content.ts';

/** Type of a field -> the range between two values, with both ends or with the start alone. */
export const RANGES: Partial<Record<FieldType, (from: string, to: string) => string>> = {
  date: (from, to) => `daterange(${from}, ${to}, '[]')`,
  datetime: (from, to) => `tstzrange(${from}, ${to}, '[)')`,
  integer: (from, to) => `int4range(${from}, ${to}, '[]')`,
};

type Rules = Pick<ModelContent, 'fields' | 'uniqueTogether' | 'noOverlap'>;

/** A rule over several fields of each record that Postgres keeps. */
export interface TableRule {
  readonly kind: 'UNIQUE_INDEX' | 'EXCLUSION';
  /** Of the index or the constraint. */
  readonly name: string;
  /** Where in the model's content it stands. */
  readonly path: string;
  readonly fields: readonly string[];
  /** Codes of all fields that it reads. */
  readonly columns: readonly string[];
  /** What its author tells of a violation. */
  readonly message?: string | undefined;
  /** SQL: what follows `on <table>` of an index, or `constraint <name>` of a table. */
  readonly rest: string;
  /** SQL: the records of `table` that break it today; columns have their present names. */
  readonly breaking: (table: string, columnOf: (code: string) => string) => string;
}

/** The rules of a model over several fields. Those of unknown fields are left out: they are refused. */
export function tableRules(modelCode: string, content: Rules): TableRule[] {
  const fields = new Map(content.fields.map((field) => [field.code, field]));
  const isKnown = (codes: readonly string[]): boolean => codes.every((code) => fields.has(code));
  const together = (content.uniqueTogether ?? []).flatMap((codes, index): TableRule[] =>
    isKnown(codes) ? [uniqueRule(modelCode, codes, index, fields)] : [],
  );
  const apart = (content.noOverlap ?? []).flatMap((rule, index): TableRule[] => {
    const named = [...fieldsOf(rule), ...(rule.where ?? []).map(({ fieldName }) => fieldName)];
    return isKnown(named) ? [overlapRule(modelCode, rule, index, fields)] : [];
  });
  return [...together, ...apart];
}

function fieldsOf({ fields = [], from, to }: NoOverlap): string[] {
  return [...fields, from, to];
}

/** Whether writing a field tells what other records hold. */
export function isCompared({ uniqueTogether = [], noOverlap = [] }: Rules, code: string): boolean {
  const named = [
    ...uniqueTogether,
    ...noOverlap.map((rule) => [...fieldsOf(rule), ...(rule.where ?? []).map(({ fieldName }) => fieldName)]),
  ];
  return named.some((codes) => codes.includes(code));
}

function uniqueRule(
  modelCode: string,
  codes: readonly string[],
  index: number,
  fields: ReadonlyMap<string, FieldContent>,
): TableRule {
  const columns = codes.map(quoteIdentifier).join(', ');
  return {
    kind: 'UNIQUE_INDEX',
    name: ruleName(modelCode, [codes, typesOf(codes, fields)], 'together'),
    path: `uniqueTogether.${index}`,
    fields: codes,
    columns: codes,
    rest: `(tenant_id, ${columns}) where deleted_at is null`,
    breaking: (table, columnOf) => {
      const present = codes.map((code) => quoteIdentifier(columnOf(code)));
      const given = present.map((column) => `${column} is not null`).join(' and ');
      return `(select count(*) over (partition by tenant_id, ${present.join(', ')}) as n from ${table}
        where deleted_at is null and ${given}) t where n > 1`;
    },
  };
}

function overlapRule(
  modelCode: string,
  rule: NoOverlap,
  index: number,
  fields: ReadonlyMap<string, FieldContent>,
): TableRule {
  const { fields: shared = [], from, to } = rule;
  const range = RANGES[fields.get(from)?.type ?? 'date'] ?? RANGES.date;
  const of = (alias: string, columnOf: (code: string) => string) => {
    const column = (code: string): string => `${alias}${quoteIdentifier(columnOf(code))}`;
    const where = whereOf(rule, fields, column);
    return {
      column,
      range: range?.(column(from), column(to)) ?? '',
      live: [`${alias}deleted_at is null`, ...where].join(' and '),
    };
  };
  const own = of('', (code) => code);
  const same = ['tenant_id', ...shared.map(quoteIdentifier)].map((column) => `${column} with =`).join(', ');
  const rest = `exclude using gist (${same}, ${own.range} with &&) where (${own.live})`;
  return {
    kind: 'EXCLUSION',
    name: ruleName(modelCode, [rule.from, rest], 'overlap'),
    path: `noOverlap.${index}`,
    fields: fieldsOf(rule),
    columns: [...fieldsOf(rule), ...(rule.where ?? []).map(({ fieldName }) => fieldName)],
    message: rule.message,
    rest,
    breaking: (table, columnOf) => {
      const [a, b] = [of('a.', columnOf), of('b.', columnOf)];
      const isWrong = `${a.column(from)} > ${a.column(to)}`;
      const isSame = shared.map((code) => ` and ${b.column(code)} = ${a.column(code)}`).join('');
      // A range whose end is before its start is an error of Postgres.
      return `${table} a where ${a.live} and case when ${isWrong} then true else exists (
        select from ${table} b where b.tenant_id = a.tenant_id and b.id <> a.id and ${b.live}${isSame}
          and case when ${b.column(from)} > ${b.column(to)} then false else ${b.range} && ${a.range} end) end`;
    },
  };
}

const literal = (field: FieldContent, value: unknown): string => {
  const checked = checkFieldValue(field, value);
  // DDL takes no parameters. The value has been checked when the model was saved.
  const text = 'problem' in checked ? '' : String(checked.value);
  return `'${text.replaceAll("'", "''")}'::${FIELD_TYPES[field.type].cast}`;
};

/** SQL: the conditions of `where`. As in filters, a negation also holds without a value. */
function whereOf(
  { where = [] }: NoOverlap,
  fields: ReadonlyMap<string, FieldContent>,
  column: (code: string) => string,
): string[] {
  return where.map(({ fieldName, operator, value }) => {
    const field = fields.get(fieldName) as FieldContent;
    const values = [value].flat().map((each) => literal(field, each));
    const isOne = `coalesce(${column(fieldName)} in (${values.join(', ')}), false)`;
    return operator === 'eq' || operator === 'in' ? isOne : `not ${isOne}`;
  });
}

function typesOf(codes: readonly string[], fields: ReadonlyMap<string, FieldContent>): string[] {
  return codes.map((code) => FIELD_TYPES[fields.get(code)?.type ?? 'string'].column);
}

/** A name that changes with the rule: another rule gets another index. */
function ruleName(modelCode: string, rule: unknown, kind: 'together' | 'overlap'): string {
  const hash = createHash('sha1')
    .update(JSON.stringify([modelCode, rule]))
    .digest('hex')
    .slice(0, 12);
  return `ix_${modelCode.slice(0, 30)}_${hash}_${kind}`;
}
