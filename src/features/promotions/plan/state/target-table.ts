import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import type { ModelContent } from '../../../../platform/metadata/models/model-content.ts';
import type { ExistingTable } from '../../../../platform/metadata/models/tables/existing-table.ts';
import { type TableCatalog, isBigTable } from '../../../../platform/metadata/models/tables/table-catalog.ts';
import { uniqueIndexName } from '../../../../platform/metadata/models/tables/table-indexes.ts';
import { codeBefore, problemsOfRenames } from '../../../../platform/metadata/models/tables/field-renames.ts';
import { quoteIdentifier, tableName } from '../../../../platform/metadata/models/model.ts';
import { misfitsOf, narrowedFields } from '../../../../platform/metadata/models/tables/narrowed-fields.ts';
import { brokenChecks } from '../../../../platform/metadata/models/tables/broken-checks.ts';
import { brokenRules, type BrokenRule } from '../../../../platform/metadata/models/tables/unfit-records.ts';
import { rewriteToConsentTo } from '../../../../platform/metadata/models/tables/table-rewrite.ts';
import { planTableChange } from '../../../../platform/metadata/models/tables/table-change.ts';

/** The table of a model in the target, with the records of all tenants. Reads it, changes nothing. */
export class TargetTable {
  readonly columns: ExistingTable['columns'];
  readonly #em: PlatformEntityManager;
  readonly #environment: string;
  readonly #modelCode: string;
  readonly #catalog: TableCatalog;
  readonly #existing: ExistingTable;
  #planned: ReturnType<typeof planTableChange> | undefined;

  private constructor(
    em: PlatformEntityManager,
    environment: string,
    modelCode: string,
    catalog: TableCatalog,
    existing: ExistingTable,
  ) {
    this.columns = existing.columns;
    this.#em = em;
    this.#environment = environment;
    this.#modelCode = modelCode;
    this.#catalog = catalog;
    this.#existing = existing;
  }

  /** Null where the table does not exist. Inside a transaction only. */
  static open(
    em: PlatformEntityManager,
    environment: string,
    modelCode: string,
    catalog: TableCatalog,
    existing: ExistingTable | null,
  ): TargetTable | null {
    return existing && new TargetTable(em, environment, modelCode, catalog, existing);
  }

  planChange(content: ModelContent, before: ModelContent | undefined): ReturnType<typeof planTableChange> {
    this.#planned ??= planTableChange(this.#em, this.#environment, this.#modelCode, content, before, this.#catalog);
    return this.#planned;
  }

  problemsOfRenames(content: ModelContent, before: ModelContent | undefined): FieldErrors {
    return problemsOfRenames(content, before, this.#existing);
  }

  /** The present column of a field, quoted. */
  column(field: string): string {
    return quoteIdentifier(codeBefore(this.#existing, field));
  }

  rewriteToConsentTo(content: ModelContent): ReturnType<typeof rewriteToConsentTo> {
    return rewriteToConsentTo(this.#em, this.#environment, this.#modelCode, content, this.#existing);
  }

  isBig(): Promise<boolean> {
    return isBigTable(this.#em, this.#environment, this.#modelCode);
  }

  /** Whether Postgres keeps the values of a field unique already. */
  isUnique(field: string): boolean {
    return this.#existing.indexes.has(uniqueIndexName(this.#modelCode, field));
  }

  /** What records have and the fields of the next model exclude. */
  misfits(content: ModelContent, before: ModelContent | undefined): ReturnType<typeof misfitsOf> {
    const narrowed = narrowedFields(content, before, this.#existing);
    return misfitsOf(this.#em, this.#environment, this.#modelCode, narrowed);
  }

  /** The new rules of records that some of the table break. */
  async brokenRules(content: ModelContent, before: ModelContent | undefined): Promise<BrokenRule[]> {
    const { deferrable, exclusions } = await this.planChange(content, before);
    const rules = [...deferrable, ...exclusions].flatMap(({ rule }) => rule ?? []);
    const place = [this.#em, this.#environment, this.#modelCode] as const;
    return [
      ...(await brokenRules(...place, rules, this.#existing)),
      ...(await brokenChecks(...place, { content, before }, this.#existing)),
    ];
  }

  async count(where: string): Promise<number> {
    const [row] = await sqlRunnerOf(this.#em).query<{ rows: number }>(
      `select count(*)::int as rows from ${this.#table} where ${where}`,
    );
    return row?.rows ?? 0;
  }

  /** How many live records share their value with another one of their tenant. */
  async duplicates(column: string): Promise<number> {
    const [row] = await sqlRunnerOf(this.#em).query<{ rows: number }>(
      `select coalesce(sum(n), 0)::int as rows from (
         select count(*) as n from ${this.#table} where deleted_at is null and ${column} is not null
         group by tenant_id, ${column} having count(*) > 1) d`,
    );
    return row?.rows ?? 0;
  }

  get #table(): string {
    return tableName(this.#environment, this.#modelCode);
  }
}
