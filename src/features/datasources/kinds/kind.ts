import type { Static, TObject } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { Reference } from '../../../platform/metadata/resources/resource-type.ts';
import type { AgedRows } from '../rest/rest-cache.ts';
import type { Column, RowsParts, RowsRequest } from '../rows.ts';
import type { OutboundHttp } from '../../../foundation/outbound/outbound-http.ts';
import type { SqlRehearsal } from '../sql/sql-rehearsal.ts';

/** Checks of content that need more than the content. */
export interface SavingChecks {
  readonly rehearsal: Pick<SqlRehearsal, 'problemOf'>;
  /** Null offline. */
  readonly outbound: Pick<OutboundHttp, 'problemOfAddress'> | null;
}

/** One kind of data source: how its content is checked, and how its rows are found. */
export interface DataSourceKind<S extends TObject = TObject> {
  readonly schema: S;
  references?(source: Static<S>): Reference[];
  /** Secrets that the rows cannot be had without, each once. */
  secrets?(source: Static<S>): string[];
  /** The params that its parts name, declared or not, each with its path in the content. */
  paramsNamed?(source: Static<S>): Iterable<readonly [path: string, name: string]>;
  /**
   * Problems of a source beyond its schema, for the moment of saving: path -> problem.
   * @param models the models of the environment as it would be after the save
   */
  problems?(
    source: Static<S>,
    models: ReadonlyMap<string, Model>,
    checks: SavingChecks,
  ): FieldErrors | Promise<FieldErrors>;
  /** The names of its columns, where they are known without the rows. */
  columnNames?(source: Static<S>): readonly string[];
  /**
   * The columns as the actor would see them; null or undefined where they depend on the rows.
   * @throws FORBIDDEN with `data.permission`; CONFLICT (DATASOURCE)
   */
  columns?(
    source: Static<S>,
    actor: Actor,
    parts: RowsParts,
  ): readonly Column[] | null | undefined | Promise<readonly Column[] | null>;
  /** The first rows, as the actor may see them. Errors: `DataSources.rows`. */
  rows(source: Static<S>, request: RowsRequest, parts: RowsParts): object[] | Promise<object[] | AgedRows>;
}
