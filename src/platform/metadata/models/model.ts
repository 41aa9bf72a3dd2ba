import type { Message } from '../../../foundation/i18n/text.ts';
import { FORBIDDEN_KEYS } from '../../../foundation/validation/json-scan.ts';
import { permissionCode } from '../permissions/permission-codes.ts';
import type { ManyToManyContent, ModelContent, RowRuleContent } from './model-content.ts';
import type { RecordCheck } from './rule-content.ts';
import type { Sequence } from '../field-types/sequence.ts';
import { isGenerated, isUnique } from '../field-types/field-options.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import type { FieldType } from '../field-types/field-types.ts';

/** A field as the program uses it: of the model's own, or one that every table has. */
export interface Field {
  readonly code: string;
  readonly type: FieldType;
  /** The field's definition; null for a system field, which no payload may write. */
  readonly content: FieldContent | null;
  /** The permission a reader needs, or null when every reader of the model may read it. */
  readonly readPermission: string | null;
  readonly writePermission: string | null;
  readonly searchable: boolean;
}

/** A field whose value an expression computes. */
export type ComputedField = FieldContent & { readonly computed: string };

/** A field that numbers new records. */
export type SequenceField = FieldContent & { readonly sequence: Sequence };

/** A model ready for use: fields by code, in the order in which records show them. */
export interface Model {
  readonly code: string;
  readonly environment: string;
  readonly name: string;
  /** The quoted, schema-qualified table, ready to stand in SQL. */
  readonly table: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** The field by which people know a record, where the model's author says it. */
  readonly displayField: string | null;
  /** Relations through the records of another model, by code. */
  readonly relations: ReadonlyMap<string, ManyToManyContent>;
  readonly rowRules: readonly RowRuleContent[];
  /** What Postgres keeps of several fields of each record. */
  readonly rules: Pick<ModelContent, 'fields' | 'uniqueTogether' | 'noOverlap'>;
  /** What must be true of every record that is written. */
  readonly checks: readonly RecordCheck[];
  /** The fields whose values expressions compute at each write. */
  readonly computed: readonly ComputedField[];
  /** The fields that number new records. */
  readonly sequences: readonly SequenceField[];
  /** Whether a change has to say from which version of the record it starts. */
  readonly requiresVersion: boolean;
  /**
   * Who asks decides what is found: row rules bind callers, or search runs over fields that not everyone may
   * read.
   */
  readonly dependsOnActor: boolean;
}

const SYSTEM_FIELDS: readonly [code: string, type: FieldType][] = [
  ['id', 'bigint'],
  ['pid', 'string'],
  ['tenant_id', 'bigint'],
  ['created_at', 'datetime'],
  ['created_by', 'string'],
  ['updated_at', 'datetime'],
  ['updated_by', 'string'],
  ['version', 'integer'],
];

/** Columns that every Postgres table has of itself. */
const POSTGRES_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/**
 * Codes that a model's own field must not take. `deleted_at` is a column, but never part of a record; under
 * `expanded` a record answers related ones.
 */
export const RESERVED_FIELD_CODES: ReadonlySet<string> = new Set([
  ...SYSTEM_FIELDS.map(([code]) => code),
  'deleted_at',
  'expanded',
  ...POSTGRES_COLUMNS,
]);

/** What is wrong with a code that no payload could hold, wherever one is declared; null for any other. */
export function problemOfPayloadKey(code: string): Message | null {
  return FORBIDDEN_KEYS.includes(code) ? 'is refused as a key of JSON: no payload could hold it' : null;
}

/** @param environment the Postgres schema in which the model's table stands */
export function toModel(environment: string, code: string, content: ModelContent): Model {
  const systemField = ([systemCode, type]: readonly [string, FieldType]): Field => ({
    code: systemCode,
    type,
    content: null,
    readPermission: null,
    writePermission: null,
    searchable: false,
  });
  const ownField = (field: FieldContent): Field => ({
    code: field.code,
    type: field.type,
    content: isUnique(field) ? { ...field, unique: true } : field,
    readPermission: field.readPermission ? permissionCode.fieldRead(code, field.code) : null,
    writePermission: field.writePermission ? permissionCode.fieldWrite(code, field.code) : null,
    searchable: field.searchable ?? false,
  });
  const fields = [...SYSTEM_FIELDS.map(systemField), ...content.fields.map(ownField)];
  const rowRules = content.rowRules ?? [];
  return {
    code,
    environment,
    name: content.name,
    table: tableName(environment, code),
    fields: new Map(fields.map((field) => [field.code, field])),
    displayField: content.displayField ?? null,
    relations: new Map((content.relations ?? []).map((relation) => [relation.code, relation])),
    rowRules,
    rules: content,
    checks: content.checks ?? [],
    computed: content.fields.filter(isComputed),
    sequences: content.fields.filter(isSequence),
    requiresVersion: content.concurrency === 'required',
    dependsOnActor: rowRules.length > 0 || fields.some((field) => field.searchable && field.readPermission !== null),
  };
}

/** The model for those who neither read nor write this field. */
export function withoutField(model: Model, field: string): Model {
  return { ...model, fields: new Map([...model.fields].filter(([code]) => code !== field)) };
}

/** The model with these fields alone, which it need not have. */
export function withFields(model: Model, contents: readonly FieldContent[]): Model {
  const common = { readPermission: null, writePermission: null, searchable: false };
  const fields = contents.map(
    (content) => [content.code, { ...common, code: content.code, type: content.type, content }] as const,
  );
  return { ...model, fields: new Map(fields) };
}

/** The fields that the model declares: system fields are not among them. */
export function declaredFields(model: Model): FieldContent[] {
  return [...model.fields.values()].flatMap(({ content }) => content ?? []);
}

/** The fields that payloads may name: those that the model declares and the program does not make. */
export function writableFields(model: Model): FieldContent[] {
  return declaredFields(model).filter((field) => !isGenerated(field));
}

/** Whether payloads may name a field. */
export function isWritable({ content }: Pick<Field, 'content'>): boolean {
  return content !== null && !isGenerated(content);
}

function isSequence(field: FieldContent): field is SequenceField {
  return field.sequence !== undefined;
}

export function isComputed(field: FieldContent): field is ComputedField {
  return field.computed !== undefined;
}

/** Spec: "each published model has a backing table named mt_<modelCode>". */
export function tableName(environment: string, modelCode: string): string {
  return `${quoteIdentifier(environment)}.${quoteIdentifier(`mt_${modelCode}`)}`;
}

const IDENTIFIER = /^[a-z][a-z0-9_]{0,62}$/;

/** Identifiers come from validated metadata alone; this is the last gate before they stand in SQL. */
export function quoteIdentifier(identifier: string): string {
  if (!IDENTIFIER.test(identifier)) throw new Error(`not an identifier: ${JSON.stringify(identifier)}`);
  return `"${identifier}"`;
}
