import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../../../../foundation/errors/application-error.ts';
import { cancelBuilds, queueBuilds } from './queue-builds.ts';
import type { PublishedChange } from '../../resources/resource-type.ts';
import type { ModelContent } from '../model-content.ts';
import { problemsOfRenames } from './field-renames.ts';
import { narrowings, planTable } from './model-table.ts';
import { lockTables, type LockMode } from './table-locks.ts';
import { TableCatalog } from './table-catalog.ts';
import { uniqueIndexName, type Deferrable } from './table-indexes.ts';
import { isBigTable } from './table-size.ts';
import { LACKS_VALUES, SHARES_VALUES, unfitRecords } from './unfit-records.ts';
import { narrowedEnums, unlistedValues } from './unlisted-values.ts';
import { planTableChange } from './table-change.ts';

/** A model whose table is to follow it. */
interface Publication extends PublishedChange<ModelContent> {
  /** Names of what is built after the publish, because the table is large. */
  readonly later: ReadonlySet<string>;
  readonly lockMode: LockMode | null;
}

/**
 * Makes the tables of models what the models say, inside a transaction. What has to read all records of a
 * large table is queued.
 * @throws VALIDATION_ERROR with the option of the field that the table, or the records in it, cannot follow;
 *   Postgres' lock_not_available
 */
export async function publishModels(
  em: PlatformEntityManager,
  environment: string,
  changes: readonly PublishedChange<ModelContent>[],
): Promise<void> {
  const codes = changes.map(({ code }) => code);
  const catalog = await TableCatalog.read(em, environment, codes);
  const publications: Publication[] = [];
  for (const change of changes) publications.push(await prepare(em, environment, change, catalog));
  const modes = publications.flatMap(({ code, lockMode }) => (lockMode ? [[code, lockMode] as const] : []));
  await lockTables(em, environment, new Map(modes));
  for (const publication of publications) await publish(em, environment, publication, catalog);
}

/** Reads large tables before anything is locked. */
async function prepare(
  em: PlatformEntityManager,
  environment: string,
  change: PublishedChange<ModelContent>,
  catalog: TableCatalog,
): Promise<Publication> {
  const { code, content, before } = change;
  const existing = catalog.tableFor(environment, code, content, before);
  if (!existing) return { ...change, later: new Set(), lockMode: null };
  const ofRenames = Object.entries(problemsOfRenames(content, before, existing));
  throwIfInvalid(
    Object.fromEntries(ofRenames.map(([field, problem]) => [place(change, field, 'renamedFrom'), problem])),
  );
  const { statements, deferrable } = planTable(environment, code, content, existing, catalog.hasKeywordIndexes);
  const isBig = deferrable.length > 0 && (await isBigTable(em, environment, code));
  const later = deferrable.filter(({ name }) => isBig || existing.invalidIndexes.has(name));
  const unfit = await unfitRecords(em, environment, code, later, existing);
  throwIfInvalid(
    Object.fromEntries(unfit.map(({ field, option, problem }) => [place(change, field, option), problem])),
  );
  const names = new Set(later.map(({ name }) => name));
  const now = withoutDeferred(statements, later);
  // Between the count of values that do not fit and the change, none may be added.
  if (narrowings(content, existing).length > 0 || now.some((one) => !one.startsWith('create'))) {
    return { ...change, later: names, lockMode: 'access exclusive' };
  }
  if (narrowedEnums(content, before, existing).length > 0) {
    return { ...change, later: names, lockMode: 'share row exclusive' };
  }
  return { ...change, later: names, lockMode: now.length > 0 ? 'share' : null };
}

async function publish(
  em: PlatformEntityManager,
  environment: string,
  publication: Publication,
  catalog: TableCatalog,
): Promise<void> {
  const { code, content, before, later } = publication;
  const existing = catalog.tableFor(environment, code, content, before);
  const narrowed = existing ? narrowedEnums(content, before, existing) : [];
  const plan = await planTableChange(em, environment, code, content, before, catalog);
  const unlisted = await unlistedValues(em, environment, code, narrowed);
  throwIfInvalid(
    Object.fromEntries([
      ...Object.entries(plan.impossible).map(
        ([field, problem]) => [place(publication, field, 'type'), problem] as const,
      ),
      ...unlisted.map(({ field, problem }) => [place(publication, field, 'values'), problem] as const),
    ]),
  );
  const builds = plan.deferrable.filter(({ name }) => later.has(name));
  try {
    for (const statement of withoutDeferred(plan.statements, builds)) await em.execute(statement);
  } catch (error) {
    const problem = problemOfRecords(error, publication);
    throw problem ? validationError(problem) : error;
  }
  if (existing) await cancelBuilds(em, environment, code, plan.buildable);
  await queueBuilds(em, environment, code, builds);
}

/** What is done at once: of what is built later, only what stands in for it. */
function withoutDeferred(statements: readonly string[], later: readonly Deferrable[]): string[] {
  const meanwhile = new Map(later.map((one) => [one.statement, one.meanwhile ?? null]));
  return statements.flatMap((statement) => {
    const other = meanwhile.get(statement);
    return other === undefined ? [statement] : other === null ? [] : [other];
  });
}

/** Where in the resource an option of a field stands. */
function place({ code, content }: PublishedChange<ModelContent>, field: string | undefined, option: string): string {
  const index = content.fields.findIndex((candidate) => candidate.code === field);
  return `MODEL/${code} content.fields${index < 0 ? '' : `.${index}.${option}`}`;
}

/** What Postgres found in the records that are there, or beside the table; null for any other failure. */
function problemOfRecords(error: unknown, change: PublishedChange<ModelContent>): FieldErrors | null {
  const { code, column, constraint } = error as { code?: string; column?: string; constraint?: string };
  switch (String(code)) {
    case '23502':
      return { [place(change, column, 'required')]: LACKS_VALUES };
    case '23505': {
      const field = change.content.fields.find(
        (candidate) => uniqueIndexName(change.code, candidate.code) === constraint,
      );
      return { [place(change, field?.code, 'unique')]: SHARES_VALUES };
    }
    case '54000':
      return { [place(change, undefined, '')]: 'has a value that is too long for an index' };
    case '42P07':
      return { [`MODEL/${change.code} code`]: 'gives a name that another table or index has' };
    default:
      return null;
  }
}
