import { translateName, type Language } from '../../../foundation/i18n/languages.ts';
import { KEY_PREFIX } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import type { FieldOptions } from '../field-types/field-options.ts';

/** A value that a field may have, and what people call it. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Keys of the texts that name values of enum fields without `labels`. @param of as for `enumOptions` */
export function keysOfValues(of: string, fields: readonly FieldContent[]): string[] {
  return fields.flatMap(({ code, type, values = [], fields: ofItems = [] }) => [
    ...(type === 'enum' ? values.map((value) => `${of}.${code}.${value}`) : []),
    ...keysOfValues(`${of}.${code}`, ofItems),
  ]);
}

/**
 * The values of an enum field. The label of one is what the field's `labels` say, else the text
 * `<of>.<field>.<value>` of the I18N resources, else the value.
 * @param of the code of the model, or of the command whose payload has the field
 */
export function enumOptions(
  of: string,
  { code, values = [], labels = {} }: Pick<FieldOptions, 'code' | 'values' | 'labels'>,
  language: Language,
): Option[] {
  return values.map((value) => {
    const own = labels[value];
    if (own !== undefined) return { value, label: translateName(own, language) };
    const key = `${KEY_PREFIX}${of}.${code}.${value}`;
    const label = language.translate(key);
    return { value, label: label === key ? translateName(value, language) : label };
  });
}
