/**
 * A table as Postgres has it: column name -> type as `format_type` prints it, and whether it refuses null.
 */
export interface ExistingTable {
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly notNull: boolean }>;
  /** The valid ones. */
  readonly indexes: ReadonlySet<string>;
  /** Indexes that are being built, or whose build has failed. */
  readonly invalidIndexes: ReadonlySet<string>;
  /** Names of check constraints, valid or not. */
  readonly checks: ReadonlySet<string>;
}
