import { isSystemField, type Field, type Model } from '../../app/application.ts';

/** Fields that a column may be for. */
export function fieldsToImport({ fields }: Model): Field[] {
  return fields.filter(({ code, readOnly }) => !readOnly && !isSystemField(code));
}

/** Names without what people write differently. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_\-./*:]+/g, '');
}

/** Column -> field, by names: the same first, then those that hold each other. Each field once. */
export function guessMapping(columns: readonly string[], fields: readonly Field[]): Record<string, string> {
  const mapping: Record<string, string> = {};
  const taken = new Set<string>();
  const rules: readonly ((column: string, name: string) => boolean)[] = [
    (column, name) => column === name,
    (column, name) => name.length > 3 && column.includes(name),
    (column, name) => column.length > 3 && name.includes(column),
  ];
  for (const fits of rules) {
    for (const column of columns) {
      if (mapping[column] !== undefined) continue;
      const field = fields.find(
        ({ code, name }) => !taken.has(code) && [code, name].some((one) => fits(plain(column), plain(one))),
      );
      if (!field) continue;
      mapping[column] = field.code;
      taken.add(field.code);
    }
  }
  return mapping;
}
