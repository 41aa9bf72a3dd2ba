import { DATA_INCOMPATIBLE } from './data-incompatible.ts';
import { DELETED_IN_TARGET } from './deleted-in-target.ts';
import { DESTRUCTIVE_SCHEMA } from './destructive-schema.ts';
import { DUPLICATE_CODE } from './duplicate-code.ts';
import { EXAMPLE_FAILED } from './example-failed.ts';
import { FIELD_REVEALED } from './field-revealed.ts';
import { MISSING_DEPENDENCY } from './missing-dependency.ts';
import { OTHER_APPLICATION } from './other-application.ts';
import { OVERLAPPING_PROMOTION } from './overlapping-promotion.ts';
import { REFERENCED_REMOVAL } from './referenced-removal.ts';
import { IN_USE } from './in-use.ts';
import { RENAME_IMPOSSIBLE } from './rename-impossible.ts';
import { SECRET_MISSING } from './secret-missing.ts';
import { TABLE_REWRITE } from './table-rewrite.ts';
import { TARGET_NEWER } from './target-newer.ts';
import { UNIQUE_LATER } from './unique-later.ts';
import { UNKNOWN_REFERENCE } from './unknown-reference.ts';
import { VERSION_GAP } from './version-gap.ts';

/**
 * All types of conflicts, in the order in which they are looked for. A new one is a file beside this one, and
 * a line here.
 */
export const CONFLICT_TYPES = {
  OTHER_APPLICATION,
  TARGET_NEWER,
  FIELD_REVEALED,
  VERSION_GAP,
  DUPLICATE_CODE,
  DELETED_IN_TARGET,
  SECRET_MISSING,
  RENAME_IMPOSSIBLE,
  DESTRUCTIVE_SCHEMA,
  IN_USE,
  TABLE_REWRITE,
  DATA_INCOMPATIBLE,
  UNIQUE_LATER,
  MISSING_DEPENDENCY,
  REFERENCED_REMOVAL,
  UNKNOWN_REFERENCE,
  EXAMPLE_FAILED,
  OVERLAPPING_PROMOTION,
};

export type ConflictType = keyof typeof CONFLICT_TYPES;
export const CONFLICT_TYPE_NAMES = Object.keys(CONFLICT_TYPES) as ConflictType[];
