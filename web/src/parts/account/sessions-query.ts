import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';

export const SESSIONS = ['sessions'] as const;

export const sessionsQuery = queryOptions({
  queryKey: SESSIONS,
  queryFn: ({ signal }) => ask('GET /api/auth/sessions', { signal }),
});
