import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

interface PromotionRequests {
  handle(promotionPid: string, requestPid: string, due: boolean): ReturnType<Activities['handlePromotionRequest']>;
  read(promotionPid: string): ReturnType<Activities['readPromotion']>;
  expire(promotionPid: string): ReturnType<Activities['expirePromotion']>;
}

type LookAtSoak = (promotionPid: string) => ReturnType<Activities['watchPromotion']>;

export function promotionActivities(
  requests: PromotionRequests,
  lookAtSoak: LookAtSoak,
): Pick<Activities, 'handlePromotionRequest' | 'readPromotion' | 'expirePromotion' | 'watchPromotion'> {
  return {
    handlePromotionRequest: ({ promotionPid, requestPid, due }) =>
      failing(requests.handle(promotionPid, requestPid, due)),
    readPromotion: ({ promotionPid }) => failing(requests.read(promotionPid)),
    expirePromotion: ({ promotionPid }) => failing(requests.expire(promotionPid)),
    watchPromotion: ({ promotionPid }) => failing(lookAtSoak(promotionPid)),
  };
}
