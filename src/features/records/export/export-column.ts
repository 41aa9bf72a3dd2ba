import { translateName, type Language } from '../../../foundation/i18n/languages.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { FIELD_TYPES, type FieldType } from '../../../platform/metadata/field-types/field-types.ts';
import { PAGE_SCHEMA } from '../../../platform/records/pages/page-type.ts';
import { shownAt, USERNAME } from '../../../platform/records/conditions/related-fields.ts';
import { isReadable } from '../../../platform/records/field-selection.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';

/** A column of an exported table: one field. */
export interface ExportColumn {
  readonly code: string;
  /** What stands in the first row. */
  readonly title: string;
  readonly type: FieldType;
}

/** A value as text; JSON values as JSON, whatever they are. */
export function textOfValue({ type }: Pick<ExportColumn, 'type'>, value: unknown): string {
  return type !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** Numbers are no formulas, whatever they begin with. */
export function isNumber({ type }: Pick<ExportColumn, 'type'>): boolean {
  return FIELD_TYPES[type].cell === 'number';
}

/** The fields of a model that an actor may read. */
export function readableCodes(model: Model, { permissions }: Actor): string[] {
  return [...model.fields.values()].filter((field) => isReadable(field, permissions)).map(({ code }) => code);
}

/**
 * The columns of a file, as far as the actor may read them.
 * @param titles the language of the titles; null: they are codes
 */
export function columnsOf(
  codes: readonly string[] | null,
  pageKey: string | null,
  model: Model,
  actor: Actor,
  titles: Language | null,
): ExportColumn[] {
  const { metadata } = actor;
  const columns = pageKey === null ? [] : metadata.get(PAGE_SCHEMA, pageKey).columns;
  const labels = new Map(columns.map(({ fieldName, label }) => [fieldName, label]));
  return [...new Set(codes ?? readableCodes(model, actor))].flatMap((code) => {
    const field = model.fields.get(code);
    if (!field) return relatedColumn(code, model, actor, titles) ?? [];
    const name = labels.get(code) ?? field.content?.name ?? code;
    return { code, type: field.type, title: titles ? translateName(name, titles) : code };
  });
}

/** The column of a path such as `account.name`. */
function relatedColumn(path: string, model: Model, actor: Actor, titles: Language | null): ExportColumn | null {
  const found = shownAt(model, path, actor);
  if (!found) return null;
  const { type, relations, field, isPerson } = found;
  const names = [...relations.map((relation) => relation.field), field].map(
    ({ code, content }) => content?.name ?? code,
  );
  if (isPerson) names.push(USERNAME);
  return { code: path, type, title: titles ? names.map((name) => translateName(name, titles)).join(': ') : path };
}

/** Turns records into text, one after the other. */
export interface Encoder {
  readonly begin: string;
  readonly record: (record: RecordData) => string;
  readonly end: string;
}
