import type { FieldContent } from './field-content.ts';

/** The field at a path: `lines.item` is one of the items of a list. */
export function fieldAt(fields: readonly FieldContent[], path: string): FieldContent | undefined {
  const [first, ...inner] = path.split('.');
  let field = fields.find(({ code }) => code === first);
  for (const name of inner) field = field?.fields?.find(({ code }) => code === name);
  return field;
}
