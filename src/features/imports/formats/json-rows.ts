import { allOf, unreadable, type ImportRow, type SourceFile } from './import-row.ts';
import { decodedText } from './decoded-text.ts';
import { firstProblem, parseJsonObject } from '../../../foundation/validation/json-text.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { MAX_ROW_LENGTH } from '../imports.limits.ts';

/** The rows of a file with one JSON object per line. @throws VALIDATION_ERROR for a line that is too long */
export async function* jsonRows(file: SourceFile): AsyncGenerator<ImportRow> {
  let number = 0;
  for await (const line of linesOf(decodedText(allOf(file)), () => number + 1)) {
    number += 1;
    if (line.trim() !== '') yield toRow(number, line);
  }
}

async function* linesOf(texts: AsyncIterable<string>, next: () => number): AsyncGenerator<string> {
  let held = '';
  for await (const chunk of texts) {
    // A long line is put together once.
    if (!chunk.includes('\n') && held.length + chunk.length <= MAX_ROW_LENGTH) {
      held += chunk;
      continue;
    }
    const lines = (held + chunk).split('\n');
    held = lines.pop() ?? '';
    if (held.length > MAX_ROW_LENGTH || lines.some((line) => line.length > MAX_ROW_LENGTH)) {
      throw unreadable(text('row {row} has more than {max} characters', { row: next(), max: MAX_ROW_LENGTH }));
    }
    yield* lines;
  }
  yield held;
}

function toRow(number: number, line: string): ImportRow {
  const parsed = parseJsonObject(line);
  return 'problems' in parsed
    ? { number, values: {}, problem: firstProblem(parsed) }
    : { number, values: parsed.value, problem: null };
}
