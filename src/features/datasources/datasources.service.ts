import { notFound } from '../../foundation/errors/application-error.ts';
import type { Paging } from '../../foundation/http/paging.ts';
import type { Language } from '../../foundation/i18n/languages.ts';
import { authorise, type Actor } from '../../platform/auth/requests/actor.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { CustomQueries, CustomQuery } from '../records/service/custom-queries.ts';
import { catalogueOf } from './catalogue.ts';
import { DATASOURCE } from './datasource-type.ts';
import type { RowsRequest, RowSources } from './rows.ts';
import { kindOf, paramsOf, type DataSourceContent } from './kinds/kinds.ts';
import { readParams } from './params/params.ts';
import type { AgedRows } from './rest/rest-cache.ts';

/** Reads data sources. */
export class DataSources implements CustomQueries {
  readonly #from: RowSources;

  constructor(from: RowSources) {
    this.#from = from;
  }

  /**
   * The first rows of a data source, as the actor may see them. Spec: `GET /api/datasource/list`.
   * @param request its `params` as the caller gives them
   * @throws NOT_FOUND for an unknown code; VALIDATION_ERROR (`params.<code>`); FORBIDDEN with
   * `data.permission`
   *   where it names a field that the actor may not read; CONFLICT with `data.reason` DATASOURCE where it
   * cannot
   *   be evaluated; SERVICE_UNAVAILABLE and BAD_GATEWAY where another service is asked
   */
  async rows(code: string, request: RowsRequest): Promise<AgedRows> {
    return this.rowsOf(request.actor.metadata.get(DATASOURCE, code), request);
  }

  /** A page of those that the actor may read, by code. */
  catalogue(actor: Actor, language: Language, paging: Paging) {
    return catalogueOf(actor, language, paging, this.#from);
  }

  /** As `rows`, of a content. */
  async rowsOf(source: DataSourceContent, request: RowsRequest, from = this.#from): Promise<AgedRows> {
    const params = readParams(paramsOf(source), request.params);
    const found = await kindOf(source).rows(source, { ...request, params }, from);
    return Array.isArray(found) ? { rows: found, ageSeconds: null } : found;
  }

  /** As `rows`, of one that reads a model. @throws NOT_FOUND for one that does not, FORBIDDEN */
  async rowsOfModel(actor: Actor, modelCode: string, { code, ...asked }: CustomQuery): Promise<readonly object[]> {
    authorise(actor, permissionCode.dataSourceRead(code));
    const source = actor.metadata.get(DATASOURCE, code);
    const read = kindOf(source).references?.(source) ?? [];
    const isOfModel = read.some((each) => each.resourceType === MODEL.name && each.code === modelCode);
    if (!isOfModel) throw notFound(DATASOURCE.notFound);
    return (await this.rowsOf(source, { ...asked, actor })).rows;
  }
}
