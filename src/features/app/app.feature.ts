import { describeApp } from './app-description.ts';
import { appEndpoints } from './app.endpoints.ts';
import { CallerDocuments } from './caller-documents.ts';

/** Describes to callers what they may use. */
export const app = {
  create: () => ({ endpoints: appEndpoints(new CallerDocuments(describeApp)) }),
};
