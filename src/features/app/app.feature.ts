import { AppDescriptions } from './app-description.ts';
import { appEndpoints } from './app.endpoints.ts';

/** Tells callers what they may use. */
export const app = {
  create: () => ({ endpoints: appEndpoints(new AppDescriptions()) }),
};
