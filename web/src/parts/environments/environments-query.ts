import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Api, Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';

export type Environment = Schemas['Environment'];
export type Policy = Environment['approvalPolicy'];
export type Build = Api['GET /api/meta/builds']['data']['records'][number];

export const ENVIRONMENTS = ['environments'] as const;

export const environmentsQuery = queryOptions({
  queryKey: ENVIRONMENTS,
  queryFn: ({ signal }) => ask('GET /api/admin/environments', { signal }),
});

export function applicationsQuery(environment: string) {
  return queryOptions({
    queryKey: [...ENVIRONMENTS, environment, 'applications'],
    queryFn: ({ signal }) =>
      ask('GET /api/admin/environments/{environment}/applications', { params: { environment }, signal }),
  });
}

export function driftQuery(environment: string, application: string) {
  return queryOptions({
    queryKey: [...ENVIRONMENTS, environment, 'drift', application],
    queryFn: ({ signal }) =>
      ask('GET /api/admin/environments/{environment}/drift', {
        params: { environment },
        query: { application },
        signal,
      }),
  });
}

/** Builds are followed while one is under way. */
const BUILD_LOOK_MS = 10_000;
const SHOWN_BUILDS = 20;

export function buildsQuery(environment: string, pageNum: number) {
  return queryOptions({
    queryKey: [...ENVIRONMENTS, environment, 'builds', pageNum],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }): Promise<Api['GET /api/meta/builds']['data']> =>
      ask('GET /api/meta/builds', {
        query: { pageNum, pageSize: SHOWN_BUILDS },
        headers: { 'x-environment': environment },
        signal,
      }),
    refetchInterval: ({ state: { data } }) => (data?.records.some(isUnderWay) === true ? BUILD_LOOK_MS : false),
  });
}

function isUnderWay({ status }: Build): boolean {
  return status === 'QUEUED' || status === 'BUILDING';
}

export function secretsQuery(environment: string) {
  return queryOptions({
    queryKey: [...ENVIRONMENTS, environment, 'secrets'],
    queryFn: ({ signal }) =>
      ask('GET /api/admin/environments/{environment}/secrets', { params: { environment }, signal }),
  });
}
