import type { Static, TObject } from 'typebox';
import type { Database } from '../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { OutboundHttp } from '../../../foundation/outbound/outbound-http.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Secrets } from '../../../platform/metadata/content/secret-references.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { Reference } from '../../../platform/metadata/resources/resource-type.ts';
import type { SqlRehearsal } from '../sql/sql-rehearsal.ts';

/** Where rows can come from. */
export interface RowSources {
  readonly database: Database;
  readonly outbound: Pick<OutboundHttp, 'send'>;
  readonly secrets: Secrets;
}

/** One kind of data source: how its content is checked, and how its rows are found. */
export interface DataSourceKind<S extends TObject = TObject> {
  readonly schema: S;
  references?(source: Static<S>): Reference[];
  /** Secrets that the rows cannot be had without, each once. */
  secrets?(source: Static<S>): string[];
  /**
   * What is wrong with a source beyond its schema, for the moment of saving: path -> problem.
   * @param models the models of the environment as it would be after the save
   */
  problems?(
    source: Static<S>,
    models: ReadonlyMap<string, Model>,
    rehearsal: Pick<SqlRehearsal, 'problemOf'>,
  ): FieldErrors | Promise<FieldErrors>;
  /** The first rows, as the actor may see them. Errors: `DataSources.rows`. */
  rows(source: Static<S>, actor: Actor, maxItems: number, from: RowSources): object[] | Promise<object[]>;
}
