import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type Budget } from '../../foundation/http/route.ts';
import { type Feature } from '../../platform/feature.ts';
import { apiDocsEndpoints } from './api-docs.endpoints.ts';

/** The OpenAPI document of all other routes, and a page to read it. */
export const apiDocs = {
  create({ config }: Foundation, { limits }: Platform, others: readonly Feature[], version: string) {
    const routes = others.flatMap(({ endpoints = [] }) => endpoints);
    const published = {
      perMinute: (budget: Exclude<Budget, 'none'>) => limits.perMinute(budget),
      maxUploadBytes: config.maxUploadBytes,
    };
    return { endpoints: apiDocsEndpoints(routes, version, published) };
  },
};
