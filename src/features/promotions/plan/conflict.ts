import { Text, type StoredMessage } from '../../../foundation/i18n/text.ts';
import type { Choice, PlacedFinding, Severity } from './conflicts/conflict-type.ts';
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
  { resource: { resourceType, pid: resourcePid, code }, message, details }: PlacedFinding,
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
