import type { Readable } from 'node:stream';
import type { Database } from '../../foundation/database/pool.ts';
import {
  ApplicationError,
  notFound,
  throwIfInvalid,
  type FieldErrors,
} from '../../foundation/errors/application-error.ts';
import { setTenant } from '../../foundation/database/tenant.ts';
import type { Language } from '../../foundation/i18n/languages.ts';
import { validate } from '../../foundation/validation/validate.ts';
import { authorise, type Actor } from '../../platform/auth/requests/actor.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { AGGREGATE_BODY, type AggregateBody } from './aggregates/aggregate-schema.ts';
import { statsFields, type Stats, type StatsField } from './aggregates/record-stats.ts';
import { checkExport, type AskedExport, type ExportForm } from './export/asked-export.ts';
import type { RecordExports } from './export/record-exports.ts';
import type { Option } from './options/enum-options.ts';
import type { OptionFinder } from './options/option-finder.ts';
import { modelThroughPage } from './pages/page-model.ts';
import { findRelation, parseExpansions } from './query/expansion.ts';
import type { ListSubject } from './query/list-subject.ts';
import { QUERY_BODY, type QueryBody } from './query/query-schema.ts';
import { queryOfBody, withSaved, type RecordQuery } from './query/record-query.ts';
import type { AggregateResult, ListResult, RecordData, RecordReader } from './record-reader.ts';
import type { CustomQueries, CustomQuery } from './service/custom-queries.ts';
import type { ImportRequest, RecordImports } from './service/record-imports.ts';
import { RecordOperations, type RecordInput, type RecordTarget } from './service/record-operations.ts';
import type { RecordTransactions } from './service/record-transactions.ts';
import { RecordWrites } from './service/record-writes.ts';
import { RecordWriter } from './writing/record-writer.ts';
import type { CachedTotal } from './totals-cache.ts';
import type { ViewsService } from './views/views.service.ts';

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
  readonly reader: RecordReader;
  readonly views: ViewsService;
  readonly options: OptionFinder;
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
export class RecordService extends RecordWrites {
  readonly #parts: Parts;

  constructor(parts: Parts, transactions: RecordTransactions) {
    super(transactions);
    this.#parts = parts;
  }

  /** Spec: "List result". @throws FORBIDDEN, VALIDATION_ERROR */
  async list(actor: Actor, modelCode: string, { pageKey = null, ...body }: ServiceQuery): Promise<ListResult> {
    return this.listChecked(actor, modelCode, await this.#checkQuery(actor, modelCode, pageKey, body));
  }

  /**
   * As `list`, for what was checked for this actor already.
   * @param cached the total as Redis knows it; where it still holds, it saves the count
   */
  async listChecked(
    actor: Actor,
    modelCode: string,
    query: RecordQuery,
    cached: CachedTotal | null = null,
  ): Promise<ListResult> {
    return this.#parts.reader.list(actor, readableModel(actor, modelCode, query.pageKey), query, cached);
  }

  /** Null when it is missing, deleted, another tenant's, or hidden by a row rule. @throws FORBIDDEN */
  async getById(
    actor: Actor,
    modelCode: string,
    pid: string,
    { pageKey, expand = [] }: ThroughPage & { readonly expand?: readonly string[] } = {},
  ): Promise<RecordData | null> {
    const model = readableModel(actor, modelCode, pageKey);
    const expansions = checked((errors) => parseExpansions(expand, model, actor, errors));
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
    { pageKey = null, ...asked }: Partial<AggregateBody> & ThroughPage,
  ): Promise<AggregateResult> {
    const body = { ...asked };
    throwIfInvalid(validate(AGGREGATE_BODY, body));
    const model = readableModel(actor, modelCode, pageKey);
    const own = { name: 'conditions', given: body.conditions ?? [] };
    const conditions = checked((errors) => withSaved(own, { pageKey, model, actor }, body.extraParams ?? {}, errors));
    return this.#parts.reader.aggregate(actor, model, body as AggregateBody, conditions);
  }

  /** Figures of what a query finds, field by field. @throws FORBIDDEN, VALIDATION_ERROR */
  async stats(
    actor: Actor,
    modelCode: string,
    { pageKey = null, fields, ...body }: Omit<ServiceQuery, 'fields'> & { readonly fields?: string | undefined },
  ): Promise<Stats> {
    const model = readableModel(actor, modelCode, pageKey);
    const described = checked((errors) => statsFields(fields, model, actor, errors));
    return this.statsChecked(actor, modelCode, described, await this.#checkQuery(actor, modelCode, pageKey, body));
  }

  /** As `stats`, for what was checked for this actor already. */
  async statsChecked(
    actor: Actor,
    modelCode: string,
    fields: readonly StatsField[],
    query: RecordQuery,
  ): Promise<Stats> {
    return this.#parts.reader.stats(actor, readableModel(actor, modelCode, query.pageKey), fields, query);
  }

  /** What can be chosen for a field. @throws NOT_FOUND, FORBIDDEN */
  async fieldOptions(
    actor: Actor,
    modelCode: string,
    field: string,
    { pageKey, keyword = '', language }: ThroughPage & { readonly keyword?: string; readonly language: Language },
  ): Promise<Option[]> {
    return this.#parts.options.find(actor, readableModel(actor, modelCode, pageKey), field, keyword, language);
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
    const asked = await this.#checkBody(actor, modelCode, pageKey, body, (names, subject, errors) =>
      checkExport(queryOfBody, names, { format, subject }, errors),
    );
    return this.exportChecked(actor, modelCode, { ...asked, format, titles, bom });
  }

  /** As `export`, for what was checked for this actor already. */
  async exportChecked(actor: Actor, modelCode: string, asked: AskedExport): Promise<Readable> {
    return this.#parts.exports.open(actor, readableModel(actor, modelCode, asked.query.pageKey), asked);
  }

  /**
   * Accepts a file whose rows become records, by commands that the actor may execute.
   * @throws NOT_FOUND for a page of another model; whatever `RecordImports` throws
   */
  async import(actor: Actor, modelCode: string, asked: ImportRequest): Promise<{ readonly pid: string }> {
    return this.#parts.imports.accept(actor, readableModel(actor, modelCode, asked.pageKey), asked);
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
    const { model } = findRelation(actor, modelCode, name);
    const query = await this.#checkQuery(actor, model.code, null, body);
    return this.getRelationChecked(actor, modelCode, pid, name, query, pageKey);
  }

  /** As `getRelation`, for a query that was checked for this actor and the model at the other end already. */
  async getRelationChecked(
    actor: Actor,
    modelCode: string,
    pid: string,
    name: string,
    query: RecordQuery,
    pageKey: string | null | undefined,
  ): Promise<ListResult> {
    const record = await this.getById(actor, modelCode, pid, { pageKey });
    if (!record) throw notFound('There is no such record');
    const { model, field, many, join } = findRelation(actor, modelCode, name);
    if (join) return this.listChecked(actor, model.code, { ...query, joinedTo: { join, pid } });
    const related = many
      ? { fieldName: field, operator: 'eq', value: pid }
      : { fieldName: 'pid', operator: 'in', value: [record[field] ?? []].flat() };
    const { conditions } = query;
    const given = Array.isArray(conditions.given) ? [...(conditions.given as unknown[]), related] : conditions.given;
    return this.listChecked(actor, model.code, { ...query, conditions: { ...conditions, given } });
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

  #checkQuery(actor: Actor, modelCode: string, pageKey: string | null, body: Partial<QueryBody>): Promise<RecordQuery> {
    return this.#checkBody(actor, modelCode, pageKey, body, queryOfBody);
  }

  async #checkBody<Asked>(
    actor: Actor,
    modelCode: string,
    pageKey: string | null,
    body: Partial<QueryBody>,
    read: (body: Partial<QueryBody>, subject: ListSubject, errors: FieldErrors) => Asked,
  ): Promise<Asked> {
    authorise(actor, permissionCode.recordRead(modelCode));
    const asked = { ...body };
    const errors = validate(QUERY_BODY, asked);
    const view = await this.#parts.views.findOfPage(actor, pageKey, asked.viewId, errors);
    throwIfInvalid(errors);
    // A view is one of a page, whose conditions bind it.
    const through = pageKey ?? view?.pageKey ?? null;
    const model = readableModel(actor, modelCode, through);
    return checked((wrong) => read(asked, { pageKey: through, model, actor, view }, wrong));
  }
}

/** @throws FORBIDDEN, NOT_FOUND */
function readableModel(actor: Actor, modelCode: string, pageKey: string | null | undefined): Model {
  authorise(actor, permissionCode.recordRead(modelCode));
  return modelThroughPage(actor.metadata, modelCode, pageKey ?? null);
}

/** What a check reads. @throws VALIDATION_ERROR with all that it finds */
function checked<T>(check: (errors: FieldErrors) => T): T {
  const errors: FieldErrors = {};
  const read = check(errors);
  throwIfInvalid(errors);
  return read;
}
