import { allOf, unreadable, type SourceFile, type TableLine } from './import-row.ts';
import { decodedText } from './decoded-text.ts';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { text } from '../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { rearm } from '../../records/export/csv.ts';
import { MAX_ROW_LENGTH, SAMPLE_LENGTH } from '../imports.limits.ts';
import { guessDelimiter, LINE_ENDS } from './csv-delimiter.ts';

const ROWS_OF_A_TURN = 250;
/** Tells Excel the delimiter in a line of its own, which is no row. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/iu;

/**
 * The lines of a CSV file (RFC 4180); CRLF, LF and CR end them. An empty cell is null, `""` an empty text.
 * @param delimiter null: what a line `sep=` says, or what the rows are separated by
 * @throws VALIDATION_ERROR for what is no CSV
 */
export async function* csvLines(file: SourceFile, delimiter: string | null): AsyncGenerator<TableLine> {
  const texts = decodedText(allOf(file));
  const { shown, first } = await beginningOf(texts);
  const parser = parse({
    delimiter: delimiter ?? shown,
    record_delimiter: LINE_ENDS,
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

/** The delimiter that a CSV file shows. @throws VALIDATION_ERROR for what is no text */
export async function shownDelimiter(file: SourceFile): Promise<string> {
  const texts = decodedText(allOf(file));
  const { shown } = await beginningOf(texts);
  await texts.return(undefined);
  return shown;
}

/** As much of a text as its delimiter is guessed by, and that delimiter. */
async function beginningOf(texts: AsyncGenerator<string>): Promise<{ shown: string; first: string }> {
  let beginning = '';
  while (beginning.length < SAMPLE_LENGTH) {
    const next = await texts.next();
    if (next.done === true) break;
    beginning += next.value;
  }
  const [line = '', separator = null] = SEPARATOR_LINE.exec(beginning) ?? [];
  const first = beginning.slice(line.length);
  return { shown: separator ?? guessDelimiter(first), first };
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== '') yield first;
  yield* rest;
}

function problemOf({ code, records }: CsvError & { readonly records?: number }, read: number) {
  const row = (records ?? read) + 1;
  if (code === 'CSV_MAX_RECORD_SIZE')
    return text('row {row} has more than {max} characters', { row, max: MAX_ROW_LENGTH });
  return text('row {row} is not valid CSV', { row });
}
