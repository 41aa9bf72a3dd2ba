import { KeelsonError, UnauthorizedError } from '@keelson/client';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { ask } from './ask.ts';
import { followTenant } from './preferences.ts';

const FRESH_MS = 30_000;
const CONFIGURATION_FRESH_MS = 300_000;

/** What the service has answered. The client repeats requests itself, where that is safe. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (count, error) => count < 1 && !(error instanceof KeelsonError),
      throwOnError: (error) => error instanceof UnauthorizedError,
    },
  },
});

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => ask('GET /api/auth/me', { signal }),
  staleTime: CONFIGURATION_FRESH_MS,
});

export const applicationQuery = queryOptions({
  queryKey: ['application'],
  queryFn: async ({ signal }) => {
    const application = await ask('GET /api/meta/app', { signal });
    followTenant(application.timeZone);
    return application;
  },
  staleTime: CONFIGURATION_FRESH_MS,
});
