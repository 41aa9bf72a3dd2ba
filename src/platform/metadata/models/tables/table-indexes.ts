import { createHash } from 'node:crypto';
import { isUnique } from '../../field-types/field-options.ts';
import { FIELD_TYPES } from '../../field-types/field-types.ts';
import type { ModelContent } from '../model-content.ts';
import type { ExistingTable } from './existing-table.ts';
import { quoteIdentifier } from '../model.ts';
import { tableRules, type TableRule } from './table-rules.ts';

export const BUILD_KINDS = ['INDEX', 'UNIQUE_INDEX', 'NOT_NULL', 'COMPUTED'] as const;
export type BuildKind = (typeof BUILD_KINDS)[number];

/** A part of a table that costs a look at all of its records. */
export interface Deferrable {
  readonly kind: BuildKind;
  /** Of the index, or of the constraint that stands in for NOT NULL. */
  readonly name: string;
  readonly fieldCode: string;
  /** The rule over several fields that it is for. */
  readonly rule?: TableRule;
  readonly statement: string;
  /** What holds for new records until it is built. */
  readonly meanwhile?: string;
}

/** What the indexes of a field are for, as their names say it. */
export const INDEX_KINDS = ['key', 'sort', 'desc', 'keyword'] as const;
const OWN_INDEX = new RegExp(`^ix_.*_(${INDEX_KINDS.join('|')}|together)$`);
const OWN_EXCLUSION = /^ix_.*_overlap$/;

/** A constraint that cannot be built beside writers: Postgres has no other way. */
export interface NewExclusion {
  readonly rule: TableRule;
  readonly statement: string;
}

/** Indexes come and go with the options `unique`, `indexed` and `searchable`; no data is lost with one. */
export function planIndexes(
  table: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
  hasKeywordIndexes: boolean,
): { dropped: string[]; created: Deferrable[]; wanted: string[]; exclusions: NewExclusion[] } {
  const wanted = new Map<string, Omit<Deferrable, 'name' | 'statement'> & { rest: string }>();
  const rules = tableRules(modelCode, content);
  for (const rule of rules) {
    const { name, rest, fields } = rule;
    if (rule.kind === 'UNIQUE_INDEX') wanted.set(name, { kind: rule.kind, fieldCode: fields[0] ?? '', rule, rest });
  }
  for (const field of content.fields) {
    const fieldCode = field.code;
    const column = quoteIdentifier(fieldCode);
    if (isUnique(field)) {
      const rest = `(tenant_id, ${column}) where deleted_at is null`;
      wanted.set(uniqueIndexName(modelCode, fieldCode), { kind: 'UNIQUE_INDEX', fieldCode, rest });
    }
    if (field.indexed || FIELD_TYPES[field.type].alwaysIndexed) {
      const rest = `(tenant_id, ${column}, created_at desc, id desc) where deleted_at is null`;
      wanted.set(indexName(modelCode, fieldCode, 'sort'), { kind: 'INDEX', fieldCode, rest });
    }
    // Read backwards, an ascending index gives records without a value first; lists have them last.
    if ((field.indexed || isUnique(field)) && !field.required) {
      const rest = `(tenant_id, ${column} desc nulls last, id desc) where deleted_at is null`;
      wanted.set(indexName(modelCode, fieldCode, 'desc'), { kind: 'INDEX', fieldCode, rest });
    }
    if (field.searchable && hasKeywordIndexes) {
      const rest = `using gin (${column} platform.keyword_ops) where deleted_at is null`;
      wanted.set(indexName(modelCode, fieldCode, 'keyword'), { kind: 'INDEX', fieldCode, rest });
    }
  }
  const created: Deferrable[] = [];
  for (const [name, { kind, fieldCode, rule, rest }] of wanted) {
    if (existing?.indexes.has(name)) continue;
    const unique = kind === 'UNIQUE_INDEX' ? 'unique ' : '';
    const statement = `create ${unique}index ${quoteIdentifier(name)} on ${table} ${rest}`;
    created.push({ kind, name, fieldCode, ...(rule && { rule }), statement });
  }
  const schema = table.split('.')[0];
  const present = [...(existing?.indexes ?? [])];
  const kept = new Set(rules.map(({ name }) => name));
  const dropped = [
    ...present
      .filter((name) => OWN_INDEX.test(name) && !wanted.has(name))
      .map((name) => `drop index ${schema}.${quoteIdentifier(name)}`),
    ...present
      .filter((name) => OWN_EXCLUSION.test(name) && !kept.has(name))
      .map((name) => `alter table ${table} drop constraint ${quoteIdentifier(name)}`),
  ];
  return { dropped, created, wanted: [...wanted.keys()], exclusions: exclusionsOf(table, rules, present) };
}

/** The constraints that are not there yet. */
function exclusionsOf(table: string, rules: readonly TableRule[], present: readonly string[]): NewExclusion[] {
  return rules
    .filter(({ kind, name }) => kind === 'EXCLUSION' && !present.includes(name))
    .map((rule) => ({
      rule,
      statement: `alter table ${table} add constraint ${quoteIdentifier(rule.name)} ${rule.rest}`,
    }));
}

/** The index that keeps a field unique: a violation names it, and the answer names the field. */
export function uniqueIndexName(modelCode: string, fieldCode: string): string {
  return indexName(modelCode, fieldCode, 'key');
}

/** The field that an index of the model's table is for; undefined for another index. */
export function fieldOfIndex(modelCode: string, codes: Iterable<string>, name: string | undefined): string | undefined {
  return [...codes].find((code) => INDEX_KINDS.some((kind) => indexName(modelCode, code, kind) === name));
}

/** The constraint that stands in for NOT NULL while the records of a large table are still being checked. */
export function notNullName(modelCode: string, fieldCode: string): string {
  return indexName(modelCode, fieldCode, 'nn');
}

/**
 * A name that no other index of the schema has. A hash tells apart what would read alike (`order` +
 * `line_sku`, `order_line` + `sku`) and what Postgres would cut at 63 bytes.
 */
export function indexName(modelCode: string, fieldCode: string, kind: string): string {
  const plain = `ix_${modelCode}_${fieldCode}_${kind}`;
  if (plain.length <= 63 && !modelCode.includes('_')) return plain;
  const hash = createHash('sha1').update(`${modelCode}.${fieldCode}`).digest('hex').slice(0, 12);
  return `ix_${modelCode.slice(0, 30)}_${hash}_${kind}`;
}
