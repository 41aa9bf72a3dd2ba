import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Api, Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';

export type User = Schemas['User'];
export type ServiceAccount = Schemas['ServiceAccount'];
export type Tenant = Schemas['Tenant'];
export type Channel = Schemas['ChannelBinding'];
export type AuditEntry = Api['GET /api/admin/audit']['data']['records'][number];
export type AuditFilter = Omit<Api['GET /api/admin/audit']['query'], 'pageNum' | 'pageSize'>;

export const PAGE_SIZE = 50;

export const USERS = ['users'] as const;

export function usersQuery(keyword: string, pageNum: number) {
  return queryOptions({
    queryKey: [...USERS, keyword, pageNum],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask('GET /api/admin/users', {
        query: { pageNum, pageSize: PAGE_SIZE, ...(keyword !== '' && { keyword }) },
        signal,
      }),
  });
}

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: ({ signal }) => ask('GET /api/admin/roles', { signal }),
});

export const TENANTS = ['tenants'] as const;

export function tenantsQuery(keyword: string, pageNum: number) {
  return queryOptions({
    queryKey: [...TENANTS, keyword, pageNum],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask('GET /api/admin/tenants', {
        query: { pageNum, pageSize: PAGE_SIZE, ...(keyword !== '' && { keyword }) },
        signal,
      }),
  });
}

export const SERVICE_ACCOUNTS = ['service-accounts'] as const;

export function serviceAccountsQuery(pageNum: number) {
  return queryOptions({
    queryKey: [...SERVICE_ACCOUNTS, pageNum],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask('GET /api/admin/service-accounts', { query: { pageNum, pageSize: PAGE_SIZE }, signal }),
  });
}

export const CHANNELS = ['channels'] as const;

export const channelsQuery = queryOptions({
  queryKey: CHANNELS,
  queryFn: ({ signal }) => ask('GET /api/im/channels', { signal }),
});

export function auditQuery(filter: AuditFilter, pageNum: number) {
  return queryOptions({
    queryKey: ['audit', filter, pageNum],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask('GET /api/admin/audit', { query: { ...filter, pageNum, pageSize: PAGE_SIZE }, signal }),
  });
}
