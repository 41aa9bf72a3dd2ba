import type { PromotionWorker } from '../src/promotions/promotion-worker.ts';
import type { SoakWatch } from '../src/promotions/soak-watch.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

type PromotionActivities = Pick<
  Activities,
  'handlePromotionRequest' | 'readPromotion' | 'expirePromotion' | 'watchPromotion'
>;

export function promotionActivities(worker: PromotionWorker, soaks: SoakWatch): PromotionActivities {
  return {
    handlePromotionRequest: ({ promotionPid, requestPid, due }) =>
      failing(worker.handle(promotionPid, requestPid, due)),
    readPromotion: ({ promotionPid }) => failing(worker.read(promotionPid)),
    expirePromotion: ({ promotionPid }) => failing(worker.expire(promotionPid)),
    watchPromotion: ({ promotionPid }) => failing(soaks.look(promotionPid)),
  };
}
