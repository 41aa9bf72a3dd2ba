import { notFound, ApplicationError } from '../../foundation/errors/application-error.ts';
import type { Paging } from '../../foundation/http/paging.ts';
import { type Language, translateName } from '../../foundation/i18n/languages.ts';
import { authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { CustomQueries, CustomQuery } from '../records/service/ports.ts';
import { DATASOURCE } from './datasource-type.ts';
import type { RowsRequest, RowsParts, Column } from './rows.ts';
import { kindOf, paramsOf, type DataSourceContent } from './kinds/kinds.ts';
import { readParams } from './params/params.ts';
import type { AgedRows } from './rest/rest-cache.ts';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import type { JsonSchema } from '../../platform/metadata/field-types/field-type.ts';
import { payloadSchemaOf } from '../../platform/metadata/field-types/payload-schema.ts';

/** A data source as those who may read it see it. */
interface CatalogueEntry {
  readonly code: string;
  readonly name: string;
  readonly kind: DataSourceContent['kind'];
  readonly paramsSchema: JsonSchema;
  /** Null: they depend on the rows. */
  readonly columns: readonly Column[] | null;
  /** Permission that the caller lacks for a field in it: its rows are refused. */
  readonly missingPermission?: string;
}

/** A page of the data sources that the actor may read, by code. */
async function catalogueOf(
  actor: Actor,
  language: Language,
  { pageNum, pageSize }: Paging,
  parts: RowsParts,
): Promise<{ records: CatalogueEntry[]; total: number; pageNum: number; pageSize: number }> {
  const all = actor.metadata.all(DATASOURCE);
  const readable = [...all.keys()].filter((code) => actor.permissions.has(permissionCode.dataSourceRead(code))).sort();
  const records: CatalogueEntry[] = [];
  for (const code of readable.slice((pageNum - 1) * pageSize, pageNum * pageSize)) {
    await letOthersRun();
    const source = all.get(code) as DataSourceContent;
    const name = translateName(source.name, language);
    const paramsSchema = payloadSchemaOf(paramsOf(source), (param) => translateName(param.name, language), true);
    records.push({ code, name, kind: source.kind, paramsSchema, ...(await describe(source, actor, parts)) });
  }
  return { records, total: readable.length, pageNum, pageSize };
}

async function describe(
  source: DataSourceContent,
  actor: Actor,
  parts: RowsParts,
): Promise<Pick<CatalogueEntry, 'columns' | 'missingPermission'>> {
  try {
    return { columns: (await kindOf(source).columns?.(source, actor, parts)) ?? null };
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    if (error.code === 'FORBIDDEN') return { columns: null, missingPermission: String(error.data?.permission) };
    if (error.code === 'CONFLICT') return { columns: null };
    throw error;
  }
}

/** Reads data sources. */
export class DataSources implements CustomQueries {
  readonly #parts: RowsParts;

  constructor(parts: RowsParts) {
    this.#parts = parts;
  }

  /**
   * The first rows of a data source, as the actor may see them. Spec: `GET /api/datasource/list`.
   * @param request its `params` as the caller gives them
   * @throws NOT_FOUND for an unknown code; VALIDATION_ERROR (`params.<code>`); FORBIDDEN with
   * `data.permission` for a field that the actor may not read; CONFLICT (DATASOURCE) where it cannot be
   * evaluated; SERVICE_UNAVAILABLE and BAD_GATEWAY by another service
   */
  async rows(code: string, request: RowsRequest): Promise<AgedRows> {
    return this.rowsOf(request.actor.metadata.get(DATASOURCE, code), request);
  }

  /** A page of those that the actor may read, by code. */
  catalogue(actor: Actor, language: Language, paging: Paging) {
    return catalogueOf(actor, language, paging, this.#parts);
  }

  /** As `rows`, of a content. */
  async rowsOf(source: DataSourceContent, request: RowsRequest, parts = this.#parts): Promise<AgedRows> {
    const params = readParams(paramsOf(source), request.params);
    const found = await kindOf(source).rows(source, { ...request, params }, parts);
    return Array.isArray(found) ? { rows: found, ageSeconds: null } : found;
  }

  /** As `rows`, of one that reads a model. @throws NOT_FOUND for one that does not, FORBIDDEN */
  async rowsOfModel(actor: Actor, modelCode: string, { code, ...request }: CustomQuery): Promise<readonly object[]> {
    authorize(actor, permissionCode.dataSourceRead(code));
    const source = actor.metadata.get(DATASOURCE, code);
    const read = kindOf(source).references?.(source) ?? [];
    const isOfModel = read.some((each) => each.resourceType === MODEL.name && each.code === modelCode);
    if (!isOfModel) throw notFound(DATASOURCE.notFound);
    return (await this.rowsOf(source, { ...request, actor })).rows;
  }
}
