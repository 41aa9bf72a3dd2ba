import type { Schemas } from '../../app/api.d.ts';
import { t, type TextKey } from '../../app/texts.ts';
import type { Tone } from '../../ui/StatusMark.tsx';
import type { Change, Conflict, PromotionStatus } from './promotions-query.ts';

type Choice = Conflict['resolutions'][number];

const STATUSES: Readonly<Record<PromotionStatus, readonly [text: TextKey, tone: Tone]>> = {
  DRAFT: ['Draft', 'quiet'],
  VALIDATED: ['Planned', 'waiting'],
  APPLIED: ['Applied', 'good'],
  FAILED: ['Failed', 'bad'],
  REJECTED: ['Rejected', 'bad'],
  CANCELLED: ['Cancelled', 'quiet'],
  EXPIRED: ['Expired', 'quiet'],
};

export function promotionStatus(status: PromotionStatus): string {
  return t(STATUSES[status][0]);
}

export function promotionTone(status: PromotionStatus): Tone {
  return STATUSES[status][1];
}

export const PROMOTION_STATUSES = Object.keys(STATUSES) as PromotionStatus[];

export type ResourceType = Change['resourceType'];

const KINDS: Readonly<Record<ResourceType, TextKey>> = {
  MODEL: 'Models',
  PAGE_SCHEMA: 'Pages',
  COMMAND: 'Commands',
  PERMISSION: 'Roles',
  DATASOURCE: 'Data sources',
  VIEW: 'Views',
  I18N: 'Texts',
  AUTOMATION: 'Automations',
  ASSISTANT: 'Assistants',
  IM_CHANNEL: 'Channels',
  DASHBOARD: 'Dashboards',
};

export const KIND_ORDER = Object.keys(KINDS) as ResourceType[];

export function isKind(text: string | undefined): text is ResourceType {
  return text !== undefined && Object.hasOwn(KINDS, text);
}

export function kindName(resourceType: ResourceType): string {
  return t(KINDS[resourceType]);
}

const MARKS: Readonly<Record<Change['action'], TextKey>> = { ADD: 'added', UPDATE: 'changed', REMOVE: 'removed' };

export function markOf({ action }: Pick<Change, 'action'>): string {
  return t(MARKS[action]);
}

const CONFLICTS: Readonly<Record<Conflict['type'], TextKey>> = {
  MISSING_DEPENDENCY: 'Something it needs is missing',
  TARGET_NEWER: 'The target has changed, too',
  DELETED_IN_TARGET: 'Deleted in the target',
  DUPLICATE_CODE: 'The code is taken',
  REFERENCED_REMOVAL: 'Still in use there',
  DATA_INCOMPATIBLE: 'Records do not fit',
  DESTRUCTIVE_SCHEMA: 'Values get out of reach',
  IN_USE: 'In use',
  TABLE_REWRITE: 'A large table is written again',
  RENAME_IMPOSSIBLE: 'It cannot be renamed there',
  OTHER_APPLICATION: 'It belongs to another application',
  SECRET_MISSING: 'A secret is missing',
  EXAMPLE_FAILED: 'An example fails',
  UNKNOWN_REFERENCE: 'It names something unknown',
  UNIQUE_LATER: 'Kept unique only later',
  FIELD_REVEALED: 'It shows more than before',
  VERSION_GAP: 'Versions are skipped',
  OVERLAPPING_PROMOTION: 'Another promotion changes it',
};

export function conflictName(type: Conflict['type']): string {
  return t(CONFLICTS[type]);
}

const CHOICES: Readonly<Record<Choice, TextKey>> = {
  use_source: 'Take the source',
  keep_target: 'Keep the target',
  skip: 'Leave it out',
};

export function choiceName(choice: Choice): string {
  return t(CHOICES[choice]);
}

const SOAKS: Readonly<Record<NonNullable<Schemas['Promotion']['soak']>['status'], readonly [TextKey, Tone]>> = {
  WATCHING: ['Being watched', 'going'],
  PASSED: ['Watched without a failure', 'good'],
  ROLLING_BACK: ['Rolling back', 'going'],
  ROLLED_BACK: ['Rolled back', 'bad'],
  ROLLBACK_FAILED: ['Could not be rolled back', 'bad'],
};

export function soakStatus(status: keyof typeof SOAKS): { readonly text: string; readonly tone: Tone } {
  const [text, tone] = SOAKS[status];
  return { text: t(text), tone };
}

const ACTIONS: Readonly<Record<string, TextKey>> = {
  created: 'created it',
  validated: 'planned it',
  approved: 'approved it',
  rejected: 'rejected it',
  cancelled: 'cancelled it',
  'apply scheduled': 'scheduled it',
  'apply failed': 'could not apply it',
  applied: 'applied it',
  expired: 'let it expire',
  refused: 'was refused',
  'soak passed': 'watched it without a failure',
  'soak failed': 'found it failing',
  'soak rollback failed': 'could not roll it back',
  'rollback created': 'began to roll it back',
  'rolled back': 'rolled it back',
};

/** What someone did, as in "Ada approved it". */
export function actionText(action: string): string {
  const text = ACTIONS[action];
  return text === undefined ? action : t(text);
}
