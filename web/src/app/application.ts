import type { Api, Schemas } from './api.d.ts';

/** What the caller may use: their applications, as the service describes them. */
export type Application = Api['GET /api/meta/app']['data'];
export type Page = Application['pages'][number];
export type Model = Application['models'][number];
export type Field = Model['fields'][number];
export type Column = Page['columns'][number];
export type Command = Application['commands'][number];
export type Me = Api['GET /api/auth/me']['data'];
export type View = Schemas['View'];
export type HistoryEntry = Schemas['HistoryEntry'];

/** A record of any page: fields by code. */
export interface RecordData {
  readonly pid: string;
  readonly version: number;
  readonly expanded?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export function findModel(application: Application, code: string): Model | undefined {
  return application.models.find((model) => model.code === code);
}

/** The first page that shows records of a model. */
export function findPage({ pages }: Application, modelCode: string): Page | undefined {
  return pages.find((page) => page.modelCode === modelCode && page.params === undefined);
}

export function findField(model: Model, code: string): Field | undefined {
  return model.fields.find((field) => field.code === code);
}

/** The field by which people know a record of a model. */
export function nameField({ displayField }: Model): string {
  return displayField;
}

const SYSTEM_FIELDS = new Set([
  'id',
  'pid',
  'tenant_id',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'version',
]);

/** What every record has, and no command writes. */
export function isSystemField(code: string): boolean {
  return SYSTEM_FIELDS.has(code);
}

/** Those that people have made come first. */
export function ownFirst(fields: readonly Field[]): Field[] {
  return fields.toSorted((one, other) => Number(isSystemField(one.code)) - Number(isSystemField(other.code)));
}
