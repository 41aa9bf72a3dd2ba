import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { ModelContent } from './model-content.ts';
import { narrowings, uniqueIndexName } from './model-table.ts';
import { tableName } from './model.ts';
import { TableCatalog } from './table-catalog.ts';
import { narrowedEnums, unlistedValues } from './unlisted-values.ts';
import { planTableChange } from './table-change.ts';

/**
 * Makes a model's table what the model says, inside a transaction.
 * @throws VALIDATION_ERROR with the option of the field that the table, or the records in it, cannot follow
 */
export async function publishModel(
  em: PlatformEntityManager,
  environment: string,
  code: string,
  content: ModelContent,
  before: ModelContent | undefined,
): Promise<void> {
  const catalog = await TableCatalog.read(em, environment, [code]);
  const existing = catalog.table(code);
  const narrowed = existing ? narrowedEnums(content, before, existing) : [];
  // Writers that are under way end before their values are counted.
  if (narrowed.length > 0) await em.execute(`lock table ${tableName(environment, code)} in share row exclusive mode`);
  if (existing && narrowings(content, existing).length > 0) {
    // Between the count and the change no value may be added that does not fit.
    await em.execute(`lock table ${tableName(environment, code)} in access exclusive mode`);
  }
  const { statements, impossible } = await planTableChange(em, environment, code, content, catalog);
  const at = (fieldCode: string | undefined, option: string): string => {
    const index = content.fields.findIndex((field) => field.code === fieldCode);
    return `MODEL/${code} content.fields${index < 0 ? '' : `.${index}.${option}`}`;
  };
  const unlisted = await unlistedValues(em, environment, code, narrowed);
  throwIfInvalid(
    Object.fromEntries([
      ...Object.entries(impossible).map(([field, problem]) => [at(field, 'type'), problem] as const),
      ...unlisted.map(({ field, problem }) => [at(field, 'values'), problem] as const),
    ]),
  );
  try {
    for (const statement of statements) await em.execute(statement);
  } catch (error) {
    const problem = problemOfRecords(error, code, content, at);
    throw problem ? validationError(problem) : error;
  }
}

/** What Postgres found in the records that are there, or beside the table; null for any other failure. */
function problemOfRecords(
  error: unknown,
  modelCode: string,
  { fields }: ModelContent,
  at: (fieldCode: string | undefined, option: string) => string,
): FieldErrors | null {
  const { code, column, constraint } = error as { code?: string; column?: string; constraint?: string };
  switch (String(code)) {
    case '23502':
      return {
        [at(column, 'required')]: 'has records without a value: a new field needs a default, an old one values',
      };
    case '23505': {
      const field = fields.find((candidate) => uniqueIndexName(modelCode, candidate.code) === constraint);
      return { [at(field?.code, 'unique')]: 'has records that share a value' };
    }
    case '54000':
      return { [at(undefined, '')]: 'has a value that is too long for an index' };
    case '42P07':
      return { [`MODEL/${modelCode} code`]: 'gives a name that another table or index has' };
    default:
      return null;
  }
}
