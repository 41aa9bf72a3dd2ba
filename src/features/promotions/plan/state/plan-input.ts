import type { SnapshotEntry } from '../../../environments/environment-snapshot.ts';
import type { Unit } from './unit.ts';

/** What a plan is made from. */
export interface PlanInput {
  /** The source's resources by pid: of an environment, or of a snapshot. */
  readonly source: ReadonlyMap<string, SnapshotEntry>;
  readonly target: readonly SnapshotEntry[];
  readonly targetCode: string;
  /** The names of the secrets that the target has. */
  readonly targetSecrets: ReadonlySet<string>;
  readonly units: readonly Unit[];
  readonly autoInclude: boolean;
  /** The source is a snapshot: it says what the target shall be, so that a newer target is no conflict. */
  readonly overwrites: boolean;
  /**
   * Of a rollback: what the target has unless it was changed since. Resource pid -> hash of its content, null
   * for none.
   */
  readonly left: ReadonlyMap<string, string | null>;
  /** Whose files are the source; undefined for other sources. */
  readonly application?: string;
}
