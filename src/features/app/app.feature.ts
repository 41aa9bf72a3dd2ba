import { describeApp } from './app-reader.ts';
import type { Foundation } from '../../foundation/foundation.ts';
import { appEndpoints, temporalEndpoint } from './app.endpoints.ts';
import { CallerDocuments } from './caller-documents.ts';

/** Describes to callers what they may use. */
export const app = {
  create: ({ config: { temporal } }: Foundation) => ({
    endpoints: [...appEndpoints(new CallerDocuments(describeApp)), temporalEndpoint(temporal)],
  }),
};
