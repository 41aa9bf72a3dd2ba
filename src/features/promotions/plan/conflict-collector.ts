import { toConflict, type Conflict, type Resolution } from './conflict.ts';
import type { Choice, PlacedFinding } from './conflicts/conflict-type.ts';
import { CONFLICT_TYPES, type ConflictType } from './conflicts/conflict-types.ts';

/** The conflicts that planning finds, with what people have chosen about each. */
export class ConflictCollector {
  readonly #resolutions: ReadonlyMap<string, Resolution>;
  #conflicts: Conflict[] = [];

  constructor(resolutions: readonly Resolution[]) {
    this.#resolutions = new Map(resolutions.map((one) => [keyOf(one.resourcePid, one.type), one]));
  }

  get all(): readonly Conflict[] {
    return this.#conflicts;
  }

  report(type: ConflictType, finding: PlacedFinding): void {
    const resolution = this.#resolutionOf(finding.resource.pid, type);
    this.#conflicts.push(toConflict(type, finding, resolution));
  }

  keepOnly(wanted: (conflict: Conflict) => boolean): void {
    this.#conflicts = this.#conflicts.filter(wanted);
  }

  /** Pids of the resources that have a conflict of a type. */
  reported(type: ConflictType): ReadonlySet<string> {
    return new Set(this.#conflicts.filter((conflict) => conflict.type === type).map(({ resourcePid }) => resourcePid));
  }

  /** Pids of the resources that a person decided to leave as they are. */
  dropped(): ReadonlySet<string> {
    const chosen = this.#conflicts.filter(({ resolution }) => resolution === 'skip' || resolution === 'keep_target');
    return new Set(chosen.map(({ resourcePid }) => resourcePid));
  }

  #resolutionOf(resourcePid: string, type: ConflictType): Choice | null {
    const chosen = this.#resolutions.get(keyOf(resourcePid, type));
    return chosen && CONFLICT_TYPES[type].resolutions.includes(chosen.resolution) ? chosen.resolution : null;
  }
}

function keyOf(resourcePid: string, type: ConflictType): string {
  return `${resourcePid} ${type}`;
}
