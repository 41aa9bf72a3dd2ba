import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { heartbeating } from './heartbeating.ts';

interface Deliveries {
  attempt(deliveryPid: string): ReturnType<Activities['attemptDelivery']>;
  attemptQuickly(deliveryPid: string, subscriptionPid: string): ReturnType<Activities['attemptQuickly']>;
}

interface DeliveryGroups {
  run(group: Parameters<Activities['attemptTogether']>[0]): ReturnType<Activities['attemptTogether']>;
  startAlone(deliveryPids: readonly string[]): Promise<void>;
}

interface Recoveries {
  recoverBatch(recoveryPid: string): ReturnType<Activities['recoverBatch']>;
}

export function webhookActivities(
  deliveries: Deliveries,
  groups: DeliveryGroups,
  recoveries: Recoveries,
): Pick<Activities, 'attemptDelivery' | 'attemptQuickly' | 'attemptTogether' | 'startDeliveries' | 'recoverBatch'> {
  return {
    attemptDelivery: ({ deliveryPid }) => heartbeating(deliveries.attempt(deliveryPid)),
    attemptQuickly: ({ deliveryPid, subscriptionPid }) =>
      failing(deliveries.attemptQuickly(deliveryPid, subscriptionPid)),
    attemptTogether: ({ isRepeated, ...group }) =>
      failing(groups.run({ ...group, isRepeated: isRepeated || Context.current().info.attempt > 1 })),
    startDeliveries: ({ deliveryPids }) => failing(groups.startAlone(deliveryPids)),
    recoverBatch: ({ recoveryPid }) => failing(recoveries.recoverBatch(recoveryPid)),
  };
}
