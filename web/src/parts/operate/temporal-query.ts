import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';

/** Where workflows are looked at: the same for as long as the service runs. */
export const temporalQuery = queryOptions({
  queryKey: ['temporal'],
  queryFn: ({ signal }) => ask('GET /api/meta/temporal', { signal }),
  staleTime: Infinity,
});
