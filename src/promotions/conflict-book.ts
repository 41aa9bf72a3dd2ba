import type { ResourceDifference } from '../environments/environment-diff.ts';
import { CONFLICT_TYPES, type Choice, type Conflict, type ConflictType, type Resolution } from './conflict.ts';

/** The conflicts that planning finds, with what people have chosen about each. */
export class ConflictBook {
  readonly #resolutions: readonly Resolution[];
  #conflicts: readonly Conflict[] = [];

  constructor(resolutions: readonly Resolution[]) {
    this.#resolutions = resolutions;
  }

  get all(): readonly Conflict[] {
    return this.#conflicts;
  }

  /** Notes a conflict. False when the person's choice takes the resource out of the plan. */
  report(
    { resourceType, pid, code }: Pick<ResourceDifference, 'resourceType' | 'pid' | 'code'>,
    type: ConflictType,
    message: string,
    details: Readonly<Record<string, unknown>>,
  ): boolean {
    const { severity, resolutions } = CONFLICT_TYPES[type];
    const resolution = this.#resolutionOf(pid, type);
    const of = { resourceType, resourcePid: pid, code };
    this.#conflicts = [...this.#conflicts, { type, severity, ...of, message, details, resolutions, resolution }];
    return !leavesOut(resolution);
  }

  keepOnly(wanted: (conflict: Conflict) => boolean): void {
    this.#conflicts = this.#conflicts.filter(wanted);
  }

  /** Resources that a person decided to leave as they are. */
  dropped(): Set<string> {
    const chosen = this.#conflicts.filter(({ resolution }) => leavesOut(resolution));
    return new Set(chosen.map(({ resourcePid }) => resourcePid));
  }

  #resolutionOf(resourcePid: string, type: ConflictType): Choice | null {
    const { resolutions } = CONFLICT_TYPES[type];
    const chosen = this.#resolutions.find((one) => one.resourcePid === resourcePid && one.type === type);
    return chosen && (resolutions as readonly string[]).includes(chosen.resolution) ? chosen.resolution : null;
  }
}

function leavesOut(resolution: Choice | null): boolean {
  return resolution === 'skip' || resolution === 'keep_target';
}
