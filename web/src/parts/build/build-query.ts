import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Api, Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import type { ResourceType } from '../promotions/promotion-words.ts';
import type { JsonSchema } from './json-schema.ts';

export type Resource = Schemas['Resource'];
export type Plan = Schemas['PlannedDrafts'];
export type Version = Api['GET /api/meta/resources/{pid}/versions']['data'][number];

export const RESOURCES = ['resources'] as const;
export const SHOWN = 100;
/** As many as one page has: of one type there are seldom more. */
const MANY = 500;

interface Filter {
  readonly type?: ResourceType | undefined;
  readonly app?: string | undefined;
  readonly keyword?: string | undefined;
}

export function resourcesQuery({ type, app, keyword }: Filter, pageNum: number) {
  return queryOptions({
    queryKey: [...RESOURCES, 'list', type ?? '', app ?? '', keyword ?? '', pageNum],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask('GET /api/meta/resources', {
        query: {
          pageNum,
          pageSize: SHOWN,
          ...(type !== undefined && { resourceType: type }),
          ...(app !== undefined && { app }),
          ...(keyword !== undefined && { keyword }),
        },
        signal,
      }),
  });
}

/** All of a type, to choose from and to draw. */
export function ofTypeQuery(resourceType: ResourceType) {
  return queryOptions({
    queryKey: [...RESOURCES, 'all', resourceType],
    queryFn: async ({ signal }) =>
      (await ask('GET /api/meta/resources', { query: { resourceType, pageSize: MANY }, signal })).records,
  });
}

/** Null where there is none of this name. */
export function resourceQuery(resourceType: ResourceType, code: string) {
  return queryOptions({
    queryKey: [...RESOURCES, 'one', resourceType, code],
    queryFn: async ({ signal }): Promise<Resource | null> => {
      const { records } = await ask('GET /api/meta/resources', { query: { resourceType, code }, signal });
      return records[0] ?? null;
    },
  });
}

export function versionsQuery(pid: string) {
  return queryOptions({
    queryKey: [...RESOURCES, 'versions', pid],
    queryFn: ({ signal }) => ask('GET /api/meta/resources/{pid}/versions', { params: { pid }, signal }),
  });
}

/** The schema of a content, with the codes of the environment. */
export function schemaQuery(type: ResourceType) {
  return queryOptions({
    queryKey: [...RESOURCES, 'schema', type],
    queryFn: async ({ signal }): Promise<JsonSchema> => {
      const file = (await ask('GET /api/meta/schemas/{type}', { params: { type }, signal })) as JsonSchema;
      return { ...file.properties?.content, ...(file.$defs && { $defs: file.$defs }) };
    },
  });
}

type SentDraft = Api['POST /api/meta/resources/plan']['body']['resources'][number];

/** What saving would do. What is wrong with a draft by itself is its error. */
export function planQuery(resources: readonly SentDraft[]) {
  return queryOptions({
    queryKey: [...RESOURCES, 'plan', resources],
    enabled: resources.length > 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ask('POST /api/meta/resources/plan', { body: { resources: [...resources] }, signal }),
  });
}
