import type { Database } from '../../foundation/database/pool.ts';
import type { Language } from '../../foundation/i18n/languages.ts';
import type { OutboundHttp } from '../../foundation/outbound/outbound-http.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Secrets } from '../../platform/metadata/content/secret-references.ts';
import type { FieldType } from '../../platform/metadata/field-types/field-types.ts';
import type { ParamValues } from './params/params.ts';
import type { RestCache } from './rest/rest-cache.ts';

/** What rows are read with. */
export interface RowsParts {
  readonly database: Database;
  readonly outbound: Pick<OutboundHttp, 'send'>;
  readonly secrets: Secrets;
  /** Null: no answer is cached. */
  readonly cache: RestCache | null;
}

/** Which rows are read, and for whom. */
export interface RowsRequest {
  readonly actor: Actor;
  /** Checked against the params that the source declares. */
  readonly params: ParamValues;
  readonly maxItems: number;
  /** Of labels. */
  readonly language: Language;
}

/** A column of the rows. Null: its type is not known. */
export interface Column {
  readonly name: string;
  readonly type: FieldType | null;
}
