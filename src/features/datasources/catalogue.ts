import { ApplicationError } from '../../foundation/errors/application-error.ts';
import type { Paging } from '../../foundation/http/paging.ts';
import { translateName, type Language } from '../../foundation/i18n/languages.ts';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { JsonSchema } from '../../platform/metadata/field-types/field-type.ts';
import { payloadSchemaOf } from '../../platform/metadata/field-types/payload-schema.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { DATASOURCE } from './datasource-type.ts';
import type { Column, RowSources } from './rows.ts';
import { kindOf, paramsOf, type DataSourceContent } from './kinds/kinds.ts';

/** A data source as those who may read it see it. */
interface CatalogueEntry {
  readonly code: string;
  readonly name: string;
  readonly kind: DataSourceContent['kind'];
  readonly paramsSchema: JsonSchema;
  /** Null: only the rows can tell. */
  readonly columns: readonly Column[] | null;
  /** Permission that the caller lacks for a field in it: its rows are refused. */
  readonly missingPermission?: string;
}

/** A page of the data sources that the actor may read, by code. */
export async function catalogueOf(
  actor: Actor,
  language: Language,
  { pageNum, pageSize }: Paging,
  from: RowSources,
): Promise<{ records: CatalogueEntry[]; total: number; pageNum: number; pageSize: number }> {
  const all = actor.metadata.all(DATASOURCE);
  const readable = [...all.keys()].filter((code) => actor.permissions.has(permissionCode.dataSourceRead(code))).sort();
  const records: CatalogueEntry[] = [];
  for (const code of readable.slice((pageNum - 1) * pageSize, pageNum * pageSize)) {
    await letOthersRun();
    const source = all.get(code) as DataSourceContent;
    const name = translateName(source.name, language);
    const paramsSchema = payloadSchemaOf(paramsOf(source), (param) => translateName(param.name, language), true);
    records.push({ code, name, kind: source.kind, paramsSchema, ...(await describe(source, actor, from)) });
  }
  return { records, total: readable.length, pageNum, pageSize };
}

async function describe(
  source: DataSourceContent,
  actor: Actor,
  from: RowSources,
): Promise<Pick<CatalogueEntry, 'columns' | 'missingPermission'>> {
  try {
    return { columns: (await kindOf(source).columns?.(source, actor, from)) ?? null };
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    if (error.code === 'FORBIDDEN') return { columns: null, missingPermission: String(error.data?.permission) };
    if (error.code === 'CONFLICT') return { columns: null };
    throw error;
  }
}
