export interface ExistingColumn {
  readonly type: string;
  readonly notNull: boolean;
  /** The name that the column has until it is renamed. */
  readonly storedAs?: string;
}

/**
 * A table as Postgres has it: column name -> type as `format_type` prints it, and whether it refuses null.
 */
export interface ExistingTable {
  readonly columns: ReadonlyMap<string, ExistingColumn>;
  /** How many columns Postgres has ever made for it: dropped ones count too. */
  readonly columnsMade: number;
  /** The valid ones. */
  readonly indexes: ReadonlySet<string>;
  /** Indexes that are being built, or whose build has failed. */
  readonly invalidIndexes: ReadonlySet<string>;
  /** Names of check constraints, valid or not. */
  readonly checks: ReadonlySet<string>;
  /** The statements after which the columns of renamed fields have the names that stand here. */
  readonly renamed?: readonly string[];
}
