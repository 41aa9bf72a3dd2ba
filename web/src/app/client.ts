import { createClient } from '@keelson/client';
import { language } from './preferences.ts';
import { BrowserSession } from './session.ts';
import { chosenTenant } from './tenant.ts';

export const session = new BrowserSession();

/** The one way to the service. */
export const client = createClient({
  url: location.origin,
  token: (refused) => session.token(refused),
  language,
  // People who wait for longer are told so.
  maxRetryDelayMs: 5_000,
  ...(chosenTenant !== null && { tenantId: chosenTenant }),
});
session.connect(client);
