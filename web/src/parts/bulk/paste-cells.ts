import type { Choice } from '@keelson/client';
import type { Command, Field, Model, Page, RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { commandFields } from '../commands/command-fields.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { BulkItem } from './run-batch.ts';

/** Rows of one paste. */
export const MAX_PASTED_ROWS = 500;

/** The cells of a block of a spreadsheet: tabs between them, quotes around what has tabs or line ends. */
export function parseBlock(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^\t\n\r]*))(\t|\r\n|\n|\r|$)/g;
  for (const [whole, quoted, plain = '', end] of text.matchAll(cell)) {
    if (whole === '' && end === '') break;
    rows.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    if (end === '') break;
    if (end !== '\t') rows.push([]);
  }
  if (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

/** What a paste changes, and which of its columns it leaves out. */
export interface Paste {
  readonly command: Command;
  readonly items: readonly BulkItem[];
  readonly leftOut: readonly Field[];
}

/**
 * Puts a block over records from their first column on.
 * @param fields of the columns that it covers
 * @returns null where no command changes any of them
 */
export async function pasteOver(
  page: Page,
  model: Model,
  commands: readonly Command[],
  fields: readonly Field[],
  records: readonly RecordData[],
  rows: readonly (readonly string[])[],
): Promise<Paste | null> {
  const takes = commands
    .filter(({ operations, transition }) => operations.includes('UPDATE') && !transition)
    .map((command) => {
      const codes = new Set(commandFields(command, model, page).map(({ code }) => code));
      return { command, taken: fields.filter((field) => codes.has(field.code) && isPasteable(field)) };
    });
  const best = takes.toSorted((one, other) => other.taken.length - one.taken.length)[0];
  if (!best || best.taken.length === 0) return null;
  const names = await namesIn(page, best.taken, fields, rows);
  const items = records.map((record, index): BulkItem => {
    const pairs = best.taken.map((field) => {
      const text = rows[index]?.[fields.indexOf(field)] ?? '';
      return [field.code, valueOf(field, text, names)] as const;
    });
    return { record, payload: Object.fromEntries(pairs) };
  });
  return { command: best.command, items, leftOut: fields.filter((field) => !best.taken.includes(field)) };
}

function isPasteable({ type }: Field): boolean {
  return FIELD_KINDS[type].fromText !== null;
}

function valueOf(field: Field, text: string, names: ReadonlyMap<string, string>): unknown {
  if (text === '') return null;
  const { fromText, isChosen = false } = FIELD_KINDS[field.type];
  if (isChosen) return names.get(`${field.code} ${text}`) ?? text;
  return fromText ? fromText(text, field) : text;
}

/** The records and people that texts name. */
async function namesIn(
  page: Page,
  taken: readonly Field[],
  fields: readonly Field[],
  rows: readonly (readonly string[])[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const field of taken.filter(({ type }) => FIELD_KINDS[type].isChosen === true)) {
    const at = fields.indexOf(field);
    for (const text of new Set(rows.map((row) => row[at] ?? '').filter((one) => one !== ''))) {
      const choices: readonly Choice[] = await client.page(page.pageKey).choices(field.code, { keyword: text });
      const [found, ...others] = choices.filter(({ label }) => label === text);
      if (found && others.length === 0) names.set(`${field.code} ${text}`, found.value);
    }
  }
  return names;
}
