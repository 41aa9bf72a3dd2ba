import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import type { ListSubject } from '../query/list-subject.ts';
import type { QueryBody } from '../query/query-schema.ts';
import { COLUMNS, namesOfFields, type RecordQuery } from '../query/record-query.ts';
import { EXPORT_FORMATS, type ExportFormatName } from './export-format.ts';

/** How the file of an export looks. */
export interface ExportForm {
  readonly format: ExportFormatName;
  /** That of the titles of columns, which are codes without it. */
  readonly titles?: Language | null;
  /** Whether a CSV file begins with a byte order mark. */
  readonly bom?: boolean;
}

/** What is exported. */
export interface ExportedParts {
  readonly query: RecordQuery;
  /** The fields in their order; null for all. */
  readonly codes: readonly string[] | null;
}

/** What is exported, and how its file looks. */
export interface AskedExport extends ExportedParts, ExportForm {}

/**
 * What an export asks for. Without fields it has the columns of the view.
 * @param read the reader of a list's names or of its body
 * @param errors as `read`
 * @throws as `read`
 */
export function checkExport<Names extends Partial<Pick<QueryBody, 'fields' | 'expand'>>>(
  read: (names: Names, subject: ListSubject, errors: FieldErrors) => RecordQuery,
  names: Names,
  { format, subject }: { readonly format: ExportFormatName | undefined; readonly subject: ListSubject },
  errors: FieldErrors,
): ExportedParts {
  if (names.expand !== undefined && format && EXPORT_FORMATS[format].isTable) errors.expand = 'is for ndjson alone';
  const { columns = [] } = subject.view ?? {};
  const fields = names.fields ?? (columns.length > 0 ? COLUMNS : undefined);
  const query = read({ ...names, ...(fields !== undefined && { fields }) }, subject, errors);
  return { query, codes: fields === undefined ? null : namesOfFields(fields, subject) };
}
