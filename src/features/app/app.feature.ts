import { describeApp } from './app-reader.ts';
import { appEndpoints } from './app.endpoints.ts';
import { CallerDocuments } from './caller-documents.ts';

/** Describes to callers what they may use. */
export const app = {
  create: () => ({ endpoints: appEndpoints(new CallerDocuments(describeApp)) }),
};
