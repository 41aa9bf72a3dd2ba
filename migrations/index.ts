import { Platform0001 } from './0001_platform.ts';
import { Promotion0002 } from './0002_promotion.ts';
import { Castable0003 } from './0003_castable.ts';
import { Webhooks0004 } from './0004_webhooks.ts';
import { PromotionSafety0005 } from './0005_promotion_safety.ts';
import { Accounts0006 } from './0006_accounts.ts';
import { Automations0008 } from './0008_automations.ts';
import { Assistant0009 } from './0009_assistant.ts';
import { Retention0010 } from './0010_retention.ts';
import { SchedulesOfAQueue0011 } from './0011_schedules_of_a_queue.ts';
import { PausedRuns0012 } from './0012_paused_runs.ts';
import { PeopleBehindKeys0013 } from './0013_people_behind_keys.ts';
import { DescendingIndexes0014 } from './0014_descending_indexes.ts';
import { ApproversByPid0015 } from './0015_approvers_by_pid.ts';
import { PostponedEvents0016 } from './0016_postponed_events.ts';
import { AwaitedEvents0017 } from './0017_awaited_events.ts';
import { Owners0018 } from './0018_owners.ts';
import { Installation0019 } from './0019_installation.ts';
import { PostponedResets0020 } from './0020_postponed_resets.ts';
import { SubscriptionOwners0021 } from './0021_subscription_owners.ts';
import { UnlockApproval0022 } from './0022_unlock_approval.ts';
import { WaitingApprovals0023 } from './0023_waiting_approvals.ts';

/** All migrations in the order in which they run. A migration that has been released is never edited. */
export const MIGRATIONS = [
  { name: '0001_platform', class: Platform0001 },
  { name: '0002_promotion', class: Promotion0002 },
  { name: '0003_castable', class: Castable0003 },
  { name: '0004_webhooks', class: Webhooks0004 },
  { name: '0005_promotion_safety', class: PromotionSafety0005 },
  { name: '0006_accounts', class: Accounts0006 },
  { name: '0008_automations', class: Automations0008 },
  { name: '0009_assistant', class: Assistant0009 },
  { name: '0010_retention', class: Retention0010 },
  { name: '0011_schedules_of_a_queue', class: SchedulesOfAQueue0011 },
  { name: '0012_paused_runs', class: PausedRuns0012 },
  { name: '0013_people_behind_keys', class: PeopleBehindKeys0013 },
  { name: '0014_descending_indexes', class: DescendingIndexes0014 },
  { name: '0015_approvers_by_pid', class: ApproversByPid0015 },
  { name: '0016_postponed_events', class: PostponedEvents0016 },
  { name: '0017_awaited_events', class: AwaitedEvents0017 },
  { name: '0018_owners', class: Owners0018 },
  { name: '0019_installation', class: Installation0019 },
  { name: '0020_postponed_resets', class: PostponedResets0020 },
  { name: '0021_subscription_owners', class: SubscriptionOwners0021 },
  { name: '0022_unlock_approval', class: UnlockApproval0022 },
  { name: '0023_waiting_approvals', class: WaitingApprovals0023 },
];
