import { t, type TextKey } from '../../app/texts.ts';
import type { FieldDraft, FieldType } from './model-content.ts';

const TYPES: Readonly<Record<FieldType, TextKey>> = {
  string: 'Short text',
  text: 'Long text',
  integer: 'Whole number',
  bigint: 'Big number',
  decimal: 'Decimal',
  boolean: 'Yes or no',
  date: 'Day',
  datetime: 'Moment',
  enum: 'Choice',
  json: 'Data',
  relation: 'Relation',
  user: 'Person',
  file: 'File',
};

export function typeName(type: FieldType): string {
  return Object.hasOwn(TYPES, type) ? t(TYPES[type]) : type;
}

/** What holds for a field beside its type, in a few words. */
export function ruleWords(field: FieldDraft): string[] {
  const { unique, indexed, searchable, min, max, scale, maxLength, pattern, values, target } = field;
  const words: (string | false | undefined)[] = [
    target !== undefined && `→ ${target}`,
    values && values.join(', '),
    unique && t('unique'),
    indexed && t('indexed'),
    searchable && t('searched'),
    min !== undefined && `≥ ${min}`,
    max !== undefined && `≤ ${max}`,
    scale !== undefined && t('{count} places', { count: scale }),
    maxLength !== undefined && t('at most {count} letters', { count: maxLength }),
    pattern !== undefined && `/${pattern}/`,
    field.default !== undefined && t('else {value}', { value: JSON.stringify(field.default).replaceAll('"', '') }),
    field.readPermission && t('reading needs a right'),
    field.writePermission && t('writing needs a right'),
    field.renamedFrom !== undefined && t('was called {name}', { name: field.renamedFrom }),
  ];
  return words.filter((word) => typeof word === 'string' && word !== '') as string[];
}
