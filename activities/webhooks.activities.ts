import { heartbeat } from '@temporalio/activity';
import type { Deliverer } from '../src/webhooks/deliverer.ts';
import type { DeliveryControl } from '../src/webhooks/delivery-control.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

/** Well below the heartbeat timeout: one that gets lost does no harm. */
const HEARTBEAT_MS = 2_500;

export function webhookActivities(
  deliverer: Deliverer,
  control: DeliveryControl,
): Pick<Activities, 'attemptDelivery' | 'attemptQuickly' | 'recoverBatch'> {
  return {
    async attemptDelivery({ deliveryPid }) {
      const beating = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        return await failing(deliverer.attempt(deliveryPid));
      } finally {
        clearInterval(beating);
      }
    },
    attemptQuickly: ({ deliveryPid, subscriptionPid }) =>
      failing(deliverer.attemptQuickly(deliveryPid, subscriptionPid)),
    recoverBatch: ({ recoveryPid }) => failing(control.recoverBatch(recoveryPid)),
  };
}
