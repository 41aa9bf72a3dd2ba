import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { SAMPLE_LENGTH, SAMPLE_ROWS } from '../imports.limits.ts';

/** What ends a row outside of quotes, mixed or not; the longest first. */
export const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Delimiters of spreadsheets in different regions; of equals the first wins. */
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * The delimiter that gives the most rows as many cells as the first has, and then the most cells.
 * @param beginning of the file
 */
export function guessDelimiter(beginning: string): string {
  const weighed = DELIMITERS.map((delimiter) => {
    const [width = 1, ...widths] = widthsOf(beginning, delimiter);
    const alike = width === 1 ? 0 : 1 + widths.filter((other) => other === width).length;
    return { delimiter, alike, width };
  });
  const [best] = weighed.toSorted((one, other) => other.alike - one.alike || other.width - one.width);
  return best?.delimiter ?? ',';
}

/** How many cells the first rows have with a delimiter, as far as they are valid with it. */
function widthsOf(beginning: string, delimiter: string): number[] {
  const widths: number[] = [];
  const note = (cells: string[]): null => {
    widths.push(cells.length);
    return null;
  };
  const rows = {
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: SAMPLE_LENGTH,
    to: SAMPLE_ROWS,
  };
  try {
    parse(beginning, { ...rows, delimiter, on_record: note });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return widths;
}
