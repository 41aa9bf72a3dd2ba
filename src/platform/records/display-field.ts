import type { Model } from '../metadata/models/model.ts';
import type { Permissions } from '../metadata/permissions/permissions.ts';
import { USERNAME } from './conditions/related-fields.ts';
import { relationOf, type PathReader } from './conditions/relation-paths.ts';
import { isReadable } from './field-selection.ts';
import { MAX_SHOWN_PATHS } from './records.limits.ts';

/**
 * Code of the field by which a reader knows a record: the one that its model names, else the first text that
 * a keyword finds, else the first text. Without any, `pid`.
 */
export function displayFieldOf(model: Model, permissions: Permissions): string {
  const readable = [...model.fields.values()].filter((field) => field.content && isReadable(field, permissions));
  const texts = readable.filter(({ type }) => type === 'string' || type === 'text');
  const found =
    readable.find(({ code }) => code === model.displayField) ?? texts.find(({ searchable }) => searchable) ?? texts[0];
  return found?.code ?? 'pid';
}

/** The path to what people call that which a field names; null where there is no such name. */
function namePathOf(model: Model, code: string, reader: PathReader): string | null {
  const field = model.fields.get(code);
  if (field?.type === 'user' && isReadable(field, reader.permissions)) return `${code}.${USERNAME}`;
  const target = relationOf(model, code, reader)?.target;
  const name = target ? displayFieldOf(target, reader.permissions) : 'pid';
  return name === 'pid' ? null : `${code}.${name}`;
}

/** Fields, each followed by the path to the name of what it refers to, as far as a query takes paths. */
export function withNames(codes: readonly string[], model: Model, reader: PathReader): string[] {
  let left = MAX_SHOWN_PATHS - codes.filter((code) => code.includes('.')).length;
  return codes.flatMap((code) => {
    const path = left > 0 ? namePathOf(model, code, reader) : null;
    if (path === null || codes.includes(path)) return [code];
    left -= 1;
    return [code, path];
  });
}
