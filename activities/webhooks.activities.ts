import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { heartbeating } from './context.ts';

interface Deliveries {
  attempt(deliveryPid: string): ReturnType<Activities['attemptDelivery']>;
}

interface Recoveries {
  recoverBatch(recoveryPid: string): ReturnType<Activities['recoverBatch']>;
}

export function webhookActivities(
  deliveries: Deliveries,
  recoveries: Recoveries,
): Pick<Activities, 'attemptDelivery' | 'recoverBatch'> {
  return {
    attemptDelivery: ({ deliveryPid }) => heartbeating(deliveries.attempt(deliveryPid)),
    recoverBatch: ({ recoveryPid }) => failing(recoveries.recoverBatch(recoveryPid)),
  };
}
