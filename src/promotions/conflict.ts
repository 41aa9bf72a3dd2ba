import type { ResourceType } from '../metadata/content.ts';

/** What can stand between a promotion and its target, with the ways out of it that a person may choose. */
export const CONFLICT_TYPES = {
  /** The resource needs something that the target has not got and the promotion does not bring. */
  MISSING_DEPENDENCY: { severity: 'blocking', resolutions: ['skip'] },
  /** The target has a newer version, or changed the same version by itself. */
  TARGET_NEWER: { severity: 'blocking', resolutions: ['use_source', 'keep_target'] },
  /** The target had the resource once and deleted it. */
  DELETED_IN_TARGET: { severity: 'blocking', resolutions: ['use_source', 'skip'] },
  /** Another resource of the target has the same type and code. */
  DUPLICATE_CODE: { severity: 'blocking', resolutions: ['use_source', 'keep_target'] },
  /** Something that stays in the target refers to what would be removed. */
  REFERENCED_REMOVAL: { severity: 'blocking', resolutions: ['keep_target'] },
  /** Data would get out of reach. It takes consent: here, or with the apply. */
  DESTRUCTIVE_SCHEMA: { severity: 'consent', resolutions: ['use_source', 'keep_target'] },
  /** The target's records do not fit the model. */
  DATA_INCOMPATIBLE: { severity: 'blocking', resolutions: ['keep_target'] },
  /** The resource names a secret that the target has not got. */
  SECRET_MISSING: { severity: 'blocking', resolutions: ['skip'] },
  /** Another validated promotion touches the same resource; the sealed plan protects. */
  OVERLAPPING_PROMOTION: { severity: 'warning', resolutions: [] },
  /** The target has not seen the versions in between. */
  VERSION_GAP: { severity: 'warning', resolutions: [] },
} as const satisfies Record<string, { severity: Severity; resolutions: readonly Choice[] }>;

export type ConflictType = keyof typeof CONFLICT_TYPES;
export type Severity = 'blocking' | 'consent' | 'warning';
export type Choice = 'use_source' | 'keep_target' | 'skip';

export interface Conflict {
  readonly type: ConflictType;
  readonly severity: Severity;
  readonly resourceType: ResourceType;
  readonly resourcePid: string;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** What a person may choose. */
  readonly resolutions: readonly Choice[];
  /** What a person chose. */
  readonly resolution: Choice | null;
}

/** A person's choice for one conflict. */
export interface Resolution {
  readonly resourcePid: string;
  readonly type: ConflictType;
  readonly resolution: Choice;
}

/** Whether the conflict keeps the promotion from being validated. */
export function isOpen({ severity, resolution }: Conflict): boolean {
  return severity === 'blocking' && resolution === null;
}
