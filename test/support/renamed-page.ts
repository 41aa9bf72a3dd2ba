import { dataOf } from './api.ts';
import { name } from './models.ts';
import { contentIn, newUnits, renamePage, type Admin, type PromotedModel } from './promotions.ts';
import type { EnvironmentCode } from '../../src/foundation/config/environments.ts';

/** What a page is called in an environment. */
export const pageName = async (code: string, environment: EnvironmentCode = 'staging') =>
  (await contentIn(environment, 'PAGE_SCHEMA', code))?.name;

/** A model that is the same in dev and the target, but for the name of its page. */
export async function renamedBy(
  creator: Admin,
  second: Admin,
  target: 'staging' | 'prod' = 'staging',
): Promise<PromotedModel> {
  const model = await newUnits([name]);
  dataOf(await second.apply(await creator.validated(model.units, target)));
  await renamePage(model.code, 'renamed');
  return model;
}
