import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { text } from '../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { rearm } from '../../records/export/formula-text.ts';
import { MAX_ROW_LENGTH } from '../imports.limits.ts';
import { decodedText } from './decoded-text.ts';
import { allOf, unreadable, type SourceFile, type TableLine } from './import-row.ts';

/** Delimiters of spreadsheets in different regions. */
const DELIMITERS = [',', ';', '\t'];
const ROWS_OF_A_TURN = 250;

/**
 * The lines of a CSV file (RFC 4180); what most cells of the first line are separated by separates all. An
 * empty cell is null, `""` an empty text.
 * @throws VALIDATION_ERROR for what is no CSV
 */
export async function* csvLines(file: SourceFile): AsyncGenerator<TableLine> {
  const texts = decodedText(allOf(file));
  const { value: first = '' } = (await texts.next()) as { value?: string };
  const parser = parse({
    delimiter: delimiterOf(first),
    relax_column_count: true,
    max_record_size: MAX_ROW_LENGTH,
    cast: (value, { quoting }) => (value === '' && !quoting ? null : rearm(value)),
  });
  const source = Readable.from(withFirst(first, texts));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let number = 0;
  try {
    for await (const cells of parser as AsyncIterable<unknown[]>) {
      number += 1;
      // The parser is ahead by many rows.
      if (number % ROWS_OF_A_TURN === 0) await letOthersRun();
      yield { number, cells };
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(problemOf(error, number)) : error;
  } finally {
    source.destroy();
  }
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== '') yield first;
  yield* rest;
}

function delimiterOf(beginning: string): string {
  const [line = ''] = beginning.replace(/"[^"]*"/g, '').split(/\r?\n|\r/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function problemOf({ code, records }: CsvError & { readonly records?: number }, read: number) {
  const row = (records ?? read) + 1;
  if (code === 'CSV_MAX_RECORD_SIZE')
    return text('row {row} has more than {max} characters', { row, max: MAX_ROW_LENGTH });
  return text('row {row} is not valid CSV', { row });
}
