import type { Database } from '../../../foundation/database/pool.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { text, Text } from '../../../foundation/i18n/text.ts';
import type { Language, Languages } from '../../../foundation/i18n/languages.ts';
import { cellOf, disarm } from '../../records/export/csv.ts';
import type { FilesService } from '../../../platform/files/files.service.ts';
import type { ImportProblem, ImportRecord } from '../data-import.entity.ts';
import { IMPORT_FORMATS } from '../formats/import-format.ts';
import { problemsAfter, setReports } from '../import-store.ts';
import { BLOCK_CHARACTERS, MAX_REPORTED_ROWS, REPORT_KEPT_MS } from '../imports.limits.ts';
import { failedRows, type FailedRow } from './failed-rows.ts';
import { sourceOf } from './source-of.ts';

const PAGE = 500;

/**
 * Files about the rows of an import that failed: what is wrong with which, `row,column,code,message`, and the
 * rows themselves.
 */
export class ErrorReports {
  readonly #database: Database;
  readonly #files: FilesService;
  readonly #languages: Languages;

  constructor(database: Database, files: FilesService, languages: Languages) {
    this.#database = database;
    this.#files = files;
    this.#languages = languages;
  }

  /**
   * Writes the files of an import that has ended, unless it has some or needs none.
   * @throws a transient fault
   */
  async write(ended: ImportRecord, signal: AbortSignal): Promise<void> {
    const { pid, failed, errorFilePid, status } = ended;
    const isOpen = status === 'PENDING' || status === 'RUNNING';
    if (isOpen || failed === 0 || errorFilePid !== null) return;
    const failedRowsFilePid = await this.#writeFailedRows(ended, signal);
    const problems = await this.#writeFile(ended, 'errors', this.#lines(ended));
    await setReports(this.#database, pid, { errorFilePid: problems, failedRowsFilePid });
  }

  /** @returns null where the file is no table, or is there no more */
  async #writeFailedRows(ended: ImportRecord, signal: AbortSignal): Promise<string | null> {
    const { format, delimiter } = ended;
    const kind = IMPORT_FORMATS[format];
    if (!kind.separator) return null;
    try {
      const source = await sourceOf(this.#files, ended);
      const rows = await kind.open(source, delimiter, signal);
      const lines = failedRows(rows(), this.#failedRows(ended), await kind.separator(source, delimiter));
      return await this.#writeFile(ended, 'failed-rows', lines);
    } catch (error) {
      if (error instanceof ApplicationError && ['NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) return null;
      throw error;
    }
  }

  async #writeFile(
    { pid, tenantId, environment, userPid }: ImportRecord,
    name: string,
    lines: AsyncIterable<string>,
  ): Promise<string> {
    const file = await this.#files.write({
      tenantId,
      environment,
      userPid,
      name: `import-${pid}-${name}.csv`,
      contentType: 'text/csv',
      stream: asBytes(lines),
      keptMs: REPORT_KEPT_MS,
    });
    return file.pid;
  }

  async *#lines(ended: ImportRecord): AsyncGenerator<string> {
    yield 'row,column,code,message\r\n';
    const language = this.#languageOf(ended);
    for await (const problem of this.#problems(ended)) yield lineOf(problem, language);
    const { failed } = ended;
    if (failed <= MAX_REPORTED_ROWS) return;
    const more = language.translate(
      text('{failed} rows have failed; the first {max} are named', { failed, max: MAX_REPORTED_ROWS }),
    );
    yield `,,,${cellOf(more)}\r\n`;
  }

  async *#failedRows(ended: ImportRecord): AsyncGenerator<FailedRow, void> {
    const language = this.#languageOf(ended);
    let row = null as FailedRow | null;
    for await (const { rowNumber: number, column, message } of this.#problems(ended)) {
      const problem = [column, language.translate(Text.from(message))].filter((part) => part !== null).join(': ');
      if (row?.number === number) row = { number, problem: `${row.problem}; ${problem}` };
      else {
        if (row) yield row;
        row = { number, problem };
      }
    }
    if (row) yield row;
  }

  async *#problems({ pid }: ImportRecord): AsyncGenerator<ImportProblem> {
    let after = '0';
    for (;;) {
      const problems = await problemsAfter(this.#database, pid, after, PAGE);
      yield* problems;
      const last = problems.at(-1);
      if (!last || problems.length < PAGE) return;
      after = last.id;
    }
  }

  #languageOf({ locale, environment }: ImportRecord): Language {
    return this.#languages.languageFor([locale], environment);
  }
}

function lineOf({ rowNumber, column, code, message }: ImportProblem, language: Language): string {
  const localizedMessage = language.translate(Text.from(message));
  const cells = [column ?? '', code, localizedMessage].map((cell) => (cell === '' ? '' : cellOf(disarm(cell))));
  return `${[rowNumber, ...cells].join(',')}\r\n`;
}

async function* asBytes(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let block = '';
  for await (const line of lines) {
    block += line;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}
