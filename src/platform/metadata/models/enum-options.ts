import { translateName, type Language } from '../../../foundation/i18n/languages.ts';
import { KEY_PREFIX } from '../../../foundation/i18n/text.ts';
import type { Field, Model } from './model.ts';

/** A value that a field may have, and what people call it. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/**
 * The values of an enum field. The label of one is the text `<model>.<field>.<value>` of the I18N resources,
 * else the value.
 */
export function enumOptions({ code: model }: Model, { code, content }: Field, language: Language): Option[] {
  return (content?.values ?? []).map((value) => {
    const key = `${KEY_PREFIX}${model}.${code}.${value}`;
    const label = language.translate(key);
    return { value, label: label === key ? translateName(value, language) : label };
  });
}
