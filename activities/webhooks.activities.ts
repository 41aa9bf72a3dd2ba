import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { heartbeating } from './heartbeating.ts';

interface Deliveries {
  attempt(deliveryPid: string): ReturnType<Activities['attemptDelivery']>;
  attemptQuickly(deliveryPid: string, subscriptionPid: string): ReturnType<Activities['attemptQuickly']>;
}

interface Recoveries {
  recoverBatch(recoveryPid: string): ReturnType<Activities['recoverBatch']>;
}

export function webhookActivities(
  deliveries: Deliveries,
  recoveries: Recoveries,
): Pick<Activities, 'attemptDelivery' | 'attemptQuickly' | 'recoverBatch'> {
  return {
    attemptDelivery: ({ deliveryPid }) => heartbeating(deliveries.attempt(deliveryPid)),
    attemptQuickly: ({ deliveryPid, subscriptionPid }) =>
      failing(deliveries.attemptQuickly(deliveryPid, subscriptionPid)),
    recoverBatch: ({ recoveryPid }) => failing(recoveries.recoverBatch(recoveryPid)),
  };
}
