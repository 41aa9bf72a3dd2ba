import { heartbeat } from '@temporalio/activity';
import type { Deliverer } from '../src/webhooks/deliverer.ts';
import type { DeliveryControl } from '../src/webhooks/delivery-control.ts';
import type { LogRetention } from '../src/webhooks/log-retention.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

/** Well below the heartbeat timeout: one that gets lost does no harm. */
const HEARTBEAT_MS = 2_500;

export function webhookActivities(
  deliverer: Deliverer,
  control: DeliveryControl,
  retention: LogRetention,
): Pick<Activities, 'attemptDelivery' | 'recoverBatch' | 'purgeBatch'> {
  return {
    async attemptDelivery({ deliveryPid }) {
      const beating = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        return await failing(deliverer.attempt(deliveryPid));
      } finally {
        clearInterval(beating);
      }
    },
    recoverBatch: ({ recoveryPid }) => failing(control.recoverBatch(recoveryPid)),
    purgeBatch: () => failing(retention.purgeBatch()),
  };
}
