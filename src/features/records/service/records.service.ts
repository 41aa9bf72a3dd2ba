import type { Readable } from 'node:stream';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError, throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import { validate, validFields } from '../../../foundation/validation/validate.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { aggregateStatement } from '../../../platform/records/aggregates/aggregate-statement.ts';
import { AGGREGATE_BODY, type AggregateBody } from '../../../platform/records/aggregates/aggregate-schema.ts';
import { statsQuery, toStats, type Stats } from '../../../platform/records/aggregates/record-stats.ts';
import { checkExport, type ExportForm, type RecordExports } from '../export/record-exports.ts';
import type { Option } from '../../../platform/metadata/models/enum-options.ts';
import { findOptions, nameOf } from './field-options.ts';
import { displayFieldOf } from '../../../platform/records/display-field.ts';
import { modelThroughPage } from '../../../platform/records/pages/page-model.ts';
import { findRelation, parseExpansions } from '../../../platform/records/query/expansion.ts';
import type { ListSubject } from '../../../platform/records/pages/list-subject.ts';
import { QUERY_BODY, type QueryBody } from '../../../platform/records/query/query-schema.ts';
import { conditionsOfBody, parseListQuery, queryOfBody } from '../../../platform/records/query/record-query.ts';
import type {
  AggregateResult,
  ListResult,
  RecordData,
  RecordReader,
} from '../../../platform/records/reader/record-reader.ts';
import type { CustomQueries, CustomQuery, ImportRequest, RecordImports } from './ports.ts';
import {
  checkBatch,
  writeBatch,
  type BatchMode,
  type BatchResult,
} from '../../../platform/records/operations/record-batch.ts';
import {
  RecordOperations,
  writableModel,
  type RecordChangeInput,
  type RecordInput,
  type RecordTarget,
  type RelationInput,
} from '../../../platform/records/operations/record-operations.ts';
import {
  withinTransaction,
  type RunWrites,
  type WriteName,
} from '../../../platform/records/operations/record-transactions.ts';
import { saveTree, type RecordTree, type SavedTree } from '../../../platform/records/operations/record-tree.ts';
import { RecordWriter } from '../../../platform/records/writing/record-writer.ts';
import type { ViewsService } from '../views/views.service.ts';

/** The page through which records are read: its conditions bind, too. */
interface ThroughPage {
  readonly pageKey?: string | null | undefined;
}

/** Spec: "Service-level query request". */
export type ServiceQuery = Partial<QueryBody> & ThroughPage;

/** A list without pages, as a file. */
export type ExportRequest = Omit<ServiceQuery, 'pageNum' | 'pageSize' | 'count' | 'cursor'> & ExportForm;

interface Parts {
  readonly database: Database;
  readonly runWrites: RunWrites;
  readonly reader: RecordReader;
  readonly views: ViewsService;
  readonly orm: PlatformOrm;
  readonly queries: CustomQueries;
  readonly exports: RecordExports;
  readonly imports: RecordImports;
}

/**
 * The one door to records, by the code of their model, for requests, workers, automations, assistants and
 * imports. Permissions, row rules, hidden fields and the tenant are its business: reads need
 * `record:read:<model>`, writes `record:write:<model>`, unless they are a command's. Spec: "Service
 * operations".
 */
export class RecordService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The same, with writes as parts of an open transaction. It has the tenant of the last of them then. */
  within(transaction: Transaction): RecordService {
    return new RecordService({ ...this.#parts, runWrites: withinTransaction(transaction) });
  }

  /** Spec: "List result". @throws FORBIDDEN, VALIDATION_ERROR */
  async list(actor: Actor, modelCode: string, { pageKey = null, ...body }: ServiceQuery): Promise<ListResult> {
    const { reader } = this.#parts;
    const query = await this.#checked(actor, modelCode, pageKey, body, (given, subject, errors) =>
      reader.open(queryOfBody(given, subject, errors), errors),
    );
    return reader.list(query);
  }

  /**
   * As `list`, by the names of a list's query string.
   * @param literal whether the values of the filters are data, in which `$me` is a text
   */
  async listByNames(
    actor: Actor,
    modelCode: string,
    names: Readonly<Record<string, unknown>>,
    literal = false,
  ): Promise<ListResult> {
    const { reader } = this.#parts;
    return reader.list(
      reader.open(parseListQuery(names, { model: readableModel(actor, modelCode, null), actor, literal })),
    );
  }

  /** Null when it is missing, deleted, another tenant's, or hidden by a row rule. @throws FORBIDDEN */
  async getById(
    actor: Actor,
    modelCode: string,
    pid: string,
    { pageKey, expand = [] }: ThroughPage & { readonly expand?: readonly string[] } = {},
  ): Promise<RecordData | null> {
    const model = readableModel(actor, modelCode, pageKey);
    const errors: FieldErrors = {};
    const expansions = parseExpansions(expand, model, actor, errors);
    throwIfInvalid(errors);
    return this.#parts.reader.getById(actor, model, pid, expansions);
  }

  /** As `getById`, with all of its fields: for decisions, never for answers. */
  async getWhole(actor: Actor, modelCode: string, pid: string, { pageKey }: ThroughPage = {}) {
    return this.#parts.reader.getWhole(actor, readableModel(actor, modelCode, pageKey), pid);
  }

  /** Groups and measures what the actor sees. @throws FORBIDDEN, VALIDATION_ERROR */
  async aggregate(
    actor: Actor,
    modelCode: string,
    { pageKey = null, ...body }: Partial<AggregateBody> & ThroughPage,
  ): Promise<AggregateResult> {
    const model = readableModel(actor, modelCode, pageKey);
    const errors = validate(AGGREGATE_BODY, body);
    const given = validFields<AggregateBody>(body, errors);
    const subject = { pageKey, model, actor };
    const statement = aggregateStatement(subject, given, conditionsOfBody(given, subject, errors), errors);
    throwIfInvalid(errors);
    return this.#parts.reader.aggregate(statement);
  }

  /** Figures of what a query finds, field by field. @throws FORBIDDEN, VALIDATION_ERROR */
  async stats(
    actor: Actor,
    modelCode: string,
    { pageKey = null, fields: names, ...body }: Omit<ServiceQuery, 'fields'> & { readonly fields?: string | undefined },
  ): Promise<Stats> {
    const { fields, statement } = await this.#checked(actor, modelCode, pageKey, body, (given, subject, errors) =>
      statsQuery(names, given.keyword, conditionsOfBody(given, subject, errors), subject, errors),
    );
    const [row = {}] = await this.#parts.reader.aggregated(statement);
    return toStats(fields, row);
  }

  /** What can be chosen for a field. @throws NOT_FOUND, FORBIDDEN */
  async fieldOptions(
    actor: Actor,
    modelCode: string,
    field: string,
    { pageKey, keyword = '', language }: ThroughPage & { readonly keyword?: string; readonly language: Language },
  ): Promise<Option[]> {
    return findOptions(this.#parts, actor, readableModel(actor, modelCode, pageKey), field, keyword, language);
  }

  /** What people call these records: pid -> name. Those that the actor may not see have none. */
  async names(actor: Actor, modelCode: string, pids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { models } = actor.metadata;
    const model = models.get(modelCode);
    if (!model || pids.length === 0 || !actor.permissions.has(permissionCode.recordRead(modelCode))) return new Map();
    const field = displayFieldOf(model, actor.permissions);
    const conditions = [{ fieldName: 'pid', operator: 'in', value: pids }];
    const asked = { conditions, fields: [field], pageSize: pids.length, count: 'none' as const };
    const { records } = await this.list(actor, modelCode, asked);
    return new Map(records.map((record) => [String(record.pid), nameOf(record, field)]));
  }

  /**
   * A whole list as a file, which is made as it is read: read it to its end, or destroy it.
   * @throws as `list`; VALIDATION_ERROR for too many records, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async export(
    actor: Actor,
    modelCode: string,
    { pageKey = null, format, titles, bom, ...body }: ExportRequest,
  ): Promise<Readable> {
    const checked = await this.#checked(actor, modelCode, pageKey, body, (names, subject, errors) =>
      checkExport(queryOfBody, names, { format, titles: titles ?? null, subject }, errors),
    );
    return this.#parts.exports.open({ ...checked, format, titles, bom });
  }

  /**
   * Accepts a file whose rows become records, by commands that the actor may execute.
   * @throws NOT_FOUND for a page of another model; whatever `RecordImports` throws
   */
  async import(actor: Actor, modelCode: string, request: ImportRequest): Promise<{ readonly pid: string }> {
    return this.#parts.imports.accept(actor, readableModel(actor, modelCode, request.pageKey), request);
  }

  /** Rows of a named query that reads the model. @throws NOT_FOUND, FORBIDDEN, CONFLICT (DATASOURCE) */
  customQuery(actor: Actor, modelCode: string, query: CustomQuery): Promise<readonly object[]> {
    return this.#parts.queries.rowsOfModel(actor, modelCode, query);
  }

  /**
   * The records at the other end of a relation: a field of the model, one of its relations, or
   * `<model>.<field>` of the other side.
   * @throws NOT_FOUND for a record or a relation that is not there for the actor; as `list`
   */
  async getRelation(
    actor: Actor,
    modelCode: string,
    pid: string,
    name: string,
    { pageKey, ...body }: ServiceQuery = {},
  ): Promise<ListResult> {
    const near = readableModel(actor, modelCode, pageKey);
    const relation = findRelation(actor, modelCode, name);
    const query = await this.#checked(actor, relation.model.code, null, body, queryOfBody);
    return this.#parts.reader.related(actor, near, pid, relation, query);
  }

  /**
   * Problems of the values of a new record, or of one that is changed. Everything that a write would
   * check is checked, and nothing stays of it. @throws FORBIDDEN, NOT_FOUND, CONFLICT other than UNIQUE
   */
  async validate(actor: Actor, modelCode: string, data: RecordInput, target: RecordTarget | null = null) {
    try {
      await this.#parts.database.rehearse(async (transaction) => {
        await setTenant(transaction, actor.tenantId);
        const operations = new RecordOperations(new RecordWriter(transaction, actor), actor);
        await (target ? operations.update(modelCode, { ...target, data }) : operations.create(modelCode, data));
      });
      return { valid: true, fieldErrors: {} };
    } catch (error) {
      const { fieldErrors } = (error instanceof ApplicationError ? error.data : null) ?? {};
      if (!fieldErrors) throw error;
      return { valid: false, fieldErrors: fieldErrors as FieldErrors };
    }
  }

  /** Gives the full record with its system fields. @throws FORBIDDEN, VALIDATION_ERROR, CONFLICT (UNIQUE) */
  create(actor: Actor, modelCode: string, data: RecordInput): Promise<RecordData> {
    return this.#run(actor, 'record:create', (operations) => operations.create(modelCode, data));
  }

  /** As `create`; null where another record has a unique value. A surrounding transaction stays usable. */
  tryCreate(actor: Actor, modelCode: string, data: RecordInput): Promise<RecordData | null> {
    return this.#run(actor, 'record:create', async (operations) => {
      try {
        return await operations.attempt(() => operations.create(modelCode, data));
      } catch (error) {
        if (error instanceof ApplicationError && error.data?.reason === 'UNIQUE') return null;
        throw error;
      }
    });
  }

  /**
   * Changes the named fields, and gives the full record.
   * @throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CONFLICT (VERSION, STATE, UNIQUE), PRECONDITION_REQUIRED
   */
  update(actor: Actor, modelCode: string, change: RecordChangeInput): Promise<RecordData> {
    return this.#run(actor, 'record:update', (operations) => operations.update(modelCode, change));
  }

  /**
   * Deletes softly.
   * @throws NOT_FOUND, FORBIDDEN, CONFLICT (VERSION, REFERENCE, LIMIT), PRECONDITION_REQUIRED
   */
  delete(actor: Actor, modelCode: string, target: RecordTarget): Promise<void> {
    return this.#run(actor, 'record:delete', (operations) => operations.deleteAll(modelCode, [target]));
  }

  /**
   * Creates up to 500 records.
   * @throws VALIDATION_ERROR for a wrong batch; `atomic`: as `create`, with `data.index`
   */
  async batchCreate(
    actor: Actor,
    modelCode: string,
    items: readonly RecordInput[],
    mode: BatchMode = 'atomic',
  ): Promise<BatchResult<RecordData>> {
    checkBatch(items);
    return this.#batch(actor, 'record:create', modelCode, items, mode, (operations, some) =>
      operations.createAll(modelCode, some),
    );
  }

  /** Changes up to 500 records, as `batchCreate`. */
  async batchUpdate(
    actor: Actor,
    modelCode: string,
    items: readonly RecordChangeInput[],
    mode: BatchMode = 'atomic',
  ): Promise<BatchResult<RecordData>> {
    checkBatch(items, pidsOf(items));
    return this.#batch(actor, 'record:update', modelCode, items, mode, (operations, some) =>
      operations.updateAll(modelCode, some),
    );
  }

  /** Deletes up to 500 records, as `batchCreate`. */
  async batchDelete(
    actor: Actor,
    modelCode: string,
    items: readonly RecordTarget[],
    mode: BatchMode = 'atomic',
  ): Promise<BatchResult<Pick<RecordTarget, 'pid'>>> {
    checkBatch(items, pidsOf(items));
    return this.#batch(actor, 'record:delete', modelCode, items, mode, async (operations, some) => {
      await operations.deleteAll(modelCode, some);
      return some.map(({ pid }) => ({ pid }));
    });
  }

  /**
   * Relates two records. Gives the record whose field changed, or the one that joins them. @throws as
   * `update` and `create`; NOT_FOUND for an unknown relation
   */
  async createRelation(actor: Actor, modelCode: string, relation: RelationInput): Promise<RecordData> {
    const { record } = await this.#run(actor, 'record:relate', (operations) => operations.relate(modelCode, relation));
    return record;
  }

  /** Ends a relation, as `createRelation`. @throws NOT_FOUND where the records are not related */
  async removeRelation(actor: Actor, modelCode: string, relation: RelationInput): Promise<RecordData> {
    const end = (operations: RecordOperations) => operations.unrelate(modelCode, relation);
    return (await this.#run(actor, 'record:unrelate', end)).record;
  }

  /** Saves a record with related ones, all or nothing. */
  saveWithRelations(actor: Actor, modelCode: string, tree: RecordTree): Promise<SavedTree> {
    return this.#run(actor, 'record:save', (operations) => saveTree(operations, actor, modelCode, tree));
  }

  #batch<I, T>(
    actor: Actor,
    name: WriteName,
    modelCode: string,
    items: readonly I[],
    mode: BatchMode,
    write: (operations: RecordOperations, items: readonly I[]) => Promise<readonly T[]>,
  ): Promise<BatchResult<T>> {
    // What no item can help is no item's failure.
    writableModel(actor, modelCode);
    return this.#run(actor, name, (operations) =>
      writeBatch(
        items,
        mode,
        (work) => operations.attempt(work),
        (some) => write(operations, some),
      ),
    );
  }

  async #checked<T>(
    actor: Actor,
    modelCode: string,
    pageKey: string | null,
    body: Partial<QueryBody>,
    read: (body: Partial<QueryBody>, subject: ListSubject, errors: FieldErrors) => T,
  ): Promise<T> {
    authorize(actor, permissionCode.recordRead(modelCode));
    const errors = validate(QUERY_BODY, body);
    const given = validFields<QueryBody>(body, errors);
    const view = await this.#parts.views.findOfPage(actor, pageKey, given.viewId, errors);
    // A view is one of a page, whose conditions bind it.
    const through = pageKey ?? view?.pageKey ?? null;
    const model = readableModel(actor, modelCode, through);
    const checked = read(given, { pageKey: through, model, actor, view }, errors);
    throwIfInvalid(errors);
    return checked;
  }

  #run<T>(actor: Actor, name: WriteName, work: (operations: RecordOperations) => Promise<T>): Promise<T> {
    return this.#parts.runWrites(actor, name, work);
  }
}

/** @throws FORBIDDEN, NOT_FOUND */
function readableModel(actor: Actor, modelCode: string, pageKey: string | null | undefined): Model {
  authorize(actor, permissionCode.recordRead(modelCode));
  return modelThroughPage(actor.metadata, modelCode, pageKey ?? null);
}

function pidsOf(items: readonly RecordTarget[]): string[] {
  return items.map(({ pid }) => pid);
}
