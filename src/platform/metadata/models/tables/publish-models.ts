import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../../../../foundation/errors/application-error.ts';
import type { PublishedChange } from '../../resources/resource-type.ts';
import type { ModelContent } from '../model-content.ts';
import { followInResources } from '../follow-in-resources.ts';
import { modelsIn, recordRenames, type FollowRenames } from '../renamed-fields.ts';
import { problemsOfRenames, renamesOf } from './field-renames.ts';
import { planTable } from './model-table.ts';
import { TableCatalog } from './table-catalog.ts';
import { LOCK_MODES, stepsOf, withoutDeferred, type LockMode } from './table-steps.ts';
import { fieldOfIndex, type Deferrable } from './table-indexes.ts';
import { brokenChecks } from './broken-checks.ts';
import { LACKS_VALUES, SHARES_VALUES, unfitRecords } from './unfit-records.ts';
import { tableRules } from './table-rules.ts';
import { misfitsOf, narrowedFields } from './narrowed-fields.ts';
import { planTableChange } from './table-change.ts';
import { newPid } from '../../../../foundation/database/pid.ts';
import { setTimeout } from 'node:timers/promises';
import { tableName, toModel, type ComputedField } from '../model.ts';
import { fillComputed } from './computed-columns.ts';
import { LOCK_ATTEMPTS_MS, LOCK_PAUSE_MS } from '../models.limits.ts';

/** A model whose table is to follow it. */
interface Publication extends PublishedChange<ModelContent> {
  /** What is built after the publish, because the table is large. */
  readonly later: readonly Deferrable[];
  /** The computed fields that existing records get their values of at once. */
  readonly filled: readonly ComputedField[];
  readonly lockMode: LockMode | null;
}

/** Publishes models, and lets what names their fields follow renames. */
export function publisherOfModels(followers: readonly FollowRenames[] = []) {
  return (em: PlatformEntityManager, environment: string, changes: readonly PublishedChange<ModelContent>[]) =>
    publishModels(em, environment, changes, followers);
}

/**
 * Makes the tables of models what the models say, inside a transaction. What has to read all records of a
 * large table is queued.
 * @throws VALIDATION_ERROR with the option of the field that the table, or the records in it, cannot follow;
 *   Postgres' lock_not_available
 */
async function publishModels(
  em: PlatformEntityManager,
  environment: string,
  changes: readonly PublishedChange<ModelContent>[],
  followers: readonly FollowRenames[],
): Promise<void> {
  const codes = changes.map(({ code }) => code);
  const catalog = await TableCatalog.read(em, environment, codes);
  const publications: Publication[] = [];
  for (const change of changes) publications.push(await prepare(em, environment, change, catalog));
  const modes = publications.flatMap(({ code, lockMode }) => (lockMode ? [[code, lockMode] as const] : []));
  await lockTables(em, environment, new Map(modes));
  for (const publication of publications) await publish(em, environment, publication, catalog);
  for (const { code, content, before } of publications) {
    const existing = catalog.table(code);
    const renames = existing ? renamesOf(content, before, existing) : [];
    if (renames.length === 0) continue;
    const codes = new Map(renames.map(({ from, to }) => [from, to]));
    const renamed = { environment, modelCode: code, codes, modelsBefore: new Map([[code, before ?? content]]) };
    await recordRenames(em, renamed);
    const modelsBefore = new Map([...(await modelsIn(em, environment)), ...renamed.modelsBefore]);
    for (const follow of [followInResources, ...followers]) await follow(em, { ...renamed, modelsBefore });
  }
}

/** Reads large tables before anything is locked. */
async function prepare(
  em: PlatformEntityManager,
  environment: string,
  change: PublishedChange<ModelContent>,
  catalog: TableCatalog,
): Promise<Publication> {
  const { code, content, before } = change;
  if (content.noOverlap?.length && !catalog.hasRangeIndexes) {
    throw validationError({ [`MODEL/${code} content.noOverlap`]: 'needs the extension btree_gist of Postgres' });
  }
  const existing = catalog.tableFor(environment, code, content, before);
  if (!existing) return { ...change, later: [], filled: [], lockMode: null };
  const ofRenames = Object.entries(problemsOfRenames(content, before, existing));
  throwIfInvalid(
    Object.fromEntries(ofRenames.map(([field, problem]) => [pathOf(change, field, 'renamedFrom'), problem])),
  );
  const plan = planTable(environment, code, content, existing, catalog.hasKeywordIndexes);
  const { later, filled, lockMode } = await stepsOf(em, environment, change, plan, existing);
  const unfit = await unfitRecords(em, environment, code, plan, existing);
  const broken = await brokenChecks(em, environment, code, change, existing);
  throwIfInvalid(
    Object.fromEntries([
      ...unfit.map(
        ({ field, option, path, problem }) =>
          [path === undefined ? pathOf(change, field, option) : `MODEL/${code} content.${path}`, problem] as const,
      ),
      ...broken.map(({ path, problem }) => [`MODEL/${code} content.${path}`, problem] as const),
    ]),
  );
  return { ...change, later, filled, lockMode };
}

async function publish(
  em: PlatformEntityManager,
  environment: string,
  publication: Publication,
  catalog: TableCatalog,
): Promise<void> {
  const { code, content, before, later, filled } = publication;
  const existing = catalog.tableFor(environment, code, content, before);
  const plan = await planTableChange(em, environment, code, content, before, catalog);
  // Where a type is impossible, its other options say nothing.
  const narrowed = existing ? narrowedFields(content, before, existing) : [];
  const possible = narrowed.filter(({ field }) => !Object.hasOwn(plan.impossible, field.code));
  const misfits = await misfitsOf(em, environment, code, possible);
  throwIfInvalid(
    Object.fromEntries([
      ...Object.entries(plan.impossible).map(
        ([field, problem]) => [pathOf(publication, field, 'type'), problem] as const,
      ),
      ...misfits.map(({ field, option, problem }) => [pathOf(publication, field, option), problem] as const),
    ]),
  );
  const names = new Set(later.map(({ name }) => name));
  const builds = [
    ...plan.deferrable.filter(({ name }) => names.has(name)),
    ...later.filter(({ kind }) => kind === 'COMPUTED'),
  ];
  try {
    for (const statement of withoutDeferred(plan.statements, builds)) await sqlRunnerOf(em).query(statement);
    if (filled.length > 0) await fillComputed(sqlRunnerOf(em), toModel(environment, code, content), filled);
  } catch (error) {
    const problem = problemOfRecords(error, publication);
    throw problem ? validationError(problem) : error;
  }
  if (existing) await cancelBuilds(em, environment, code, plan.buildable);
  await queueBuilds(em, environment, code, builds);
}

/** Where in the resource an option of a field stands. */
function pathOf({ code, content }: PublishedChange<ModelContent>, field: string | undefined, option: string): string {
  const index = content.fields.findIndex((candidate) => candidate.code === field);
  return `MODEL/${code} content.fields${index < 0 ? '' : `.${index}.${option}`}`;
}

const codesOf = ({ fields }: ModelContent): string[] => fields.map(({ code }) => code);

/** What Postgres found in the records that are there, or beside the table; null for any other failure. */
function problemOfRecords(error: unknown, change: PublishedChange<ModelContent>): FieldErrors | null {
  const { code, column, constraint } = error as { code?: string; column?: string; constraint?: string };
  switch (String(code)) {
    case '23502':
      return { [pathOf(change, column, 'required')]: LACKS_VALUES };
    case '23505':
    case '23P01': {
      const rule = tableRules(change.code, change.content).find(({ name }) => name === constraint);
      if (rule) return { [`MODEL/${change.code} content.${rule.path}`]: 'has records that break it' };
      const field = fieldOfIndex(change.code, codesOf(change.content), constraint);
      return { [pathOf(change, field, 'unique')]: SHARES_VALUES };
    }
    case '54000': {
      const field = fieldOfIndex(change.code, codesOf(change.content), constraint);
      return { [pathOf(change, field, 'indexed')]: 'has a value that is too long for an index' };
    }
    case '42P07':
      return { [`MODEL/${change.code} code`]: 'gives a name that another table or index has' };
    default:
      return null;
  }
}

/**
 * Queues what is to be built, in the transaction of the publish. What is being built already goes on.
 * @param environment of the table
 */
async function queueBuilds(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  builds: readonly Deferrable[],
): Promise<void> {
  for (const { kind, name, fieldCode, statement } of builds) {
    await sqlRunnerOf(em).query(
      `insert into platform.table_build (pid, environment, model_code, field_code, kind, name, statement)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (environment, name) do update set status = 'QUEUED', statement = excluded.statement,
         attempts = 0, failure = null, created_at = now(), started_at = null, finished_at = null
       where table_build.status <> 'BUILDING'`,
      [newPid(), environment, modelCode, fieldCode, kind, name, statement],
    );
  }
}

/**
 * Cancels the builds of a model that its next version does not want; the builder removes what they left.
 * The index of the trash belongs to the table.
 */
async function cancelBuilds(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  wanted: ReadonlySet<string>,
): Promise<void> {
  await sqlRunnerOf(em).query(
    `update platform.table_build set status = 'CANCELLED'
     where environment = $1 and model_code = $2 and status in ('QUEUED', 'BUILDING', 'FAILED')
       and field_code <> 'deleted_at' and name <> all($3)`,
    [environment, modelCode, [...wanted]],
  );
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Locks the tables of models, all or none: a transaction that held some while it waits for the others would
 * stop their writers. Between the attempts writers go on. Inside a transaction only.
 * @throws Postgres' lock_not_available
 */
async function lockTables(
  em: PlatformEntityManager,
  environment: string,
  modes: ReadonlyMap<string, LockMode>,
): Promise<void> {
  const statements = LOCK_MODES.toReversed().flatMap((mode) => {
    const tables = [...modes].filter(([, wanted]) => wanted === mode).map(([code]) => tableName(environment, code));
    return tables.length === 0 ? [] : [`lock table ${tables.sort().join(', ')} in ${mode} mode`];
  });
  if (statements.length === 0) return;
  for (const [index, timeoutMs] of LOCK_ATTEMPTS_MS.entries()) {
    await sqlRunnerOf(em).query('savepoint table_locks');
    try {
      await sqlRunnerOf(em).query(`set local lock_timeout = '${timeoutMs}ms'`);
      for (const statement of statements) await sqlRunnerOf(em).query(statement);
      await sqlRunnerOf(em).query('release savepoint table_locks');
      return;
    } catch (error) {
      const isLast = index === LOCK_ATTEMPTS_MS.length - 1;
      if (isLast || (error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await sqlRunnerOf(em).query('rollback to savepoint table_locks');
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
}
