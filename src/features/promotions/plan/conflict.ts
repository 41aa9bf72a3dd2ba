import { Text, type StoredMessage } from '../../../foundation/i18n/text.ts';
import type { Choice, ResourceProblem, Severity } from './conflicts/conflict-type.ts';
import { CONFLICT_TYPES, type ConflictType } from './conflicts/conflict-types.ts';

/** A conflict between a promotion and its target. */
export interface Conflict {
  readonly type: ConflictType;
  readonly severity: Severity;
  readonly resourceType: string;
  readonly resourcePid: string;
  readonly code: string;
  readonly message: StoredMessage;
  readonly details: Readonly<Record<string, unknown>>;
  /** The possible resolutions. */
  readonly resolutions: readonly Choice[];
  /** The chosen resolution. */
  readonly resolution: Choice | null;
}

/** A person's choice for one conflict. */
export interface Resolution {
  readonly resourcePid: string;
  readonly type: ConflictType;
  readonly resolution: Choice;
}

export function toConflict(
  type: ConflictType,
  { resource: { resourceType, pid: resourcePid, code }, message, details }: ResourceProblem,
  resolution: Choice | null,
): Conflict {
  const { severity, resolutions } = CONFLICT_TYPES[type];
  const stored = Text.from(message).toStored();
  return { type, severity, resourceType, resourcePid, code, message: stored, details, resolutions, resolution };
}

/** Whether the conflict keeps the promotion from being validated. */
export function isOpen({ severity, resolution }: Conflict): boolean {
  return severity === 'blocking' && resolution === null;
}

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

  report(type: ConflictType, problem: ResourceProblem): void {
    const resolution = this.#resolutionOf(problem.resource.pid, type);
    this.#conflicts.push(toConflict(type, problem, resolution));
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
