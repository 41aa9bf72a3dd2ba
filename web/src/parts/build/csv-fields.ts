import { NO, YES } from '../fields/boolean-words.ts';
import { codeOf, freeCode, type FieldDraft, type FieldType } from './model-content.ts';

const SEPARATORS = [',', ';', '\t'] as const;
/** Rows that are looked at. */
const LOOKED_AT = 500;
/** A column with so few different texts, each of them more than once, is a choice. */
const MOST_CHOICES = 12;
const LINE_LETTERS = 200;
/** Whole numbers beyond are larger than what a program counts with. */
const INTEGER_DIGITS = 9;

/** The first rows of a CSV text, with the separator that its first line has most of. */
export function rowsOfCsv(text: string): string[][] {
  const head = text.slice(0, text.indexOf('\n') < 0 ? text.length : text.indexOf('\n'));
  const count = (separator: string): number => head.split(separator).length;
  const [separator = ','] = SEPARATORS.toSorted((one, other) => count(other) - count(one));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((one) => one !== '')) rows.push(row);
    [row, cell] = [[], ''];
  };
  const letters = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  for (let at = 0; at < letters.length && rows.length <= LOOKED_AT; at += 1) {
    const letter = letters[at] ?? '';
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (letters[at + 1] === '"') {
        cell += letter;
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === '') isQuoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = '';
    } else if (letter === '\n') endRow();
    else cell += letter;
  }
  if (rows.length <= LOOKED_AT && (cell !== '' || row.length > 0)) endRow();
  return rows;
}

/** The fields that the columns of a table seem to be: a person looks at them before they are made. */
export function fieldsOfRows([head = [], ...rows]: readonly (readonly string[])[]): FieldDraft[] {
  const taken = new Set<string>();
  return head.map((title, column): FieldDraft => {
    const name = title.trim() === '' ? `${column + 1}` : title.trim();
    const code = freeCode(codeOf(name) || 'field', taken);
    taken.add(code);
    const values = rows.map((row) => (row[column] ?? '').trim());
    const given = values.filter((value) => value !== '');
    const isFull = rows.length > 0 && given.length === rows.length;
    return { code, name, ...typeOf(given), ...(isFull && { required: true }) };
  });
}

/** Digits alone are numbers. */
const BOOLEAN_WORDS = [...YES, ...NO].filter((word) => !/^\d$/.test(word));

const IS: readonly (readonly [FieldType, RegExp])[] = [
  ['boolean', new RegExp(`^(?:${BOOLEAN_WORDS.join('|')})$`, 'i')],
  ['integer', new RegExp(`^-?(?:0|[1-9]\\d{0,${INTEGER_DIGITS - 1}})$`)],
  ['bigint', /^-?(?:0|[1-9]\d{0,17})$/],
  ['decimal', /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,10})?$/],
  ['date', /^\d{4}-\d{2}-\d{2}$/],
  ['datetime', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/],
];

function typeOf(values: readonly string[]): Pick<FieldDraft, 'type' | 'values' | 'searchable'> {
  if (values.length === 0) return { type: 'string' };
  const found = IS.find(([, pattern]) => values.every((value) => pattern.test(value)));
  if (found) return { type: found[0] };
  if (values.some((value) => value.length > LINE_LETTERS || value.includes('\n'))) return { type: 'text' };
  const different = [...new Set(values)];
  const isChoice = different.length <= MOST_CHOICES && values.length >= different.length * 2 && different.length > 1;
  return isChoice ? { type: 'enum', values: different } : { type: 'string', searchable: true };
}
