import type { Database } from '../../../foundation/database/pool.ts';
import { text, Text } from '../../../foundation/i18n/text.ts';
import type { Language, Languages } from '../../../foundation/i18n/languages.ts';
import { cellOf, disarm } from '../../records/export/csv.ts';
import type { FilesService } from '../../../platform/files/files.service.ts';
import type { ImportProblem, ImportRecord } from '../data-import.entity.ts';
import { problemsAfter, setErrorFile } from '../import-store.ts';
import { MAX_REPORTED_ROWS, REPORT_KEPT_MS } from '../imports.limits.ts';

const PAGE = 500;

/** Files that say what is wrong with the rows of an import: `row,column,code,message`. */
export class ErrorReports {
  readonly #database: Database;
  readonly #files: FilesService;
  readonly #languages: Languages;

  constructor(database: Database, files: FilesService, languages: Languages) {
    this.#database = database;
    this.#files = files;
    this.#languages = languages;
  }

  /** Writes the report of an import that has ended, unless it has one or needs none. */
  async write(ended: ImportRecord): Promise<void> {
    const { pid, tenantId, environment, userPid, failed, errorFilePid, status } = ended;
    const isOpen = status === 'PENDING' || status === 'RUNNING';
    if (isOpen || failed === 0 || errorFilePid !== null) return;
    const file = await this.#files.write({
      tenantId,
      environment,
      userPid,
      name: `import-${pid}-errors.csv`,
      contentType: 'text/csv',
      stream: this.#lines(ended),
      keptMs: REPORT_KEPT_MS,
    });
    await setErrorFile(this.#database, pid, file.pid);
  }

  async *#lines({ pid, locale, environment, failed }: ImportRecord): AsyncGenerator<Buffer> {
    const language = this.#languages.languageFor([locale], environment);
    yield Buffer.from('row,column,code,message\r\n');
    let after = '0';
    for (;;) {
      const problems = await problemsAfter(this.#database, pid, after, PAGE);
      yield Buffer.from(problems.map((problem) => lineOf(problem, language)).join(''));
      const last = problems.at(-1);
      if (!last || problems.length < PAGE) break;
      after = last.id;
    }
    if (failed <= MAX_REPORTED_ROWS) return;
    const more = language.translate(
      text('{failed} rows have failed; the first {max} are named', { failed, max: MAX_REPORTED_ROWS }),
    );
    yield Buffer.from(`,,,${cellOf(more)}\r\n`);
  }
}

function lineOf({ rowNumber, column, code, message }: ImportProblem, language: Language): string {
  const localizedMessage = language.translate(Text.from(message));
  const cells = [column ?? '', code, localizedMessage].map((cell) => (cell === '' ? '' : cellOf(disarm(cell))));
  return `${[rowNumber, ...cells].join(',')}\r\n`;
}
