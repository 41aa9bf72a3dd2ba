import { PUBLIC, routesOf, type RegisteredRoute } from '../../src/http/access.ts';
import { container } from './world.ts';

/** What stands in for the variable parts of paths, so that the route finds what its permission is about. */
const PARAMETERS: Record<string, string> = {
  pageKey: 'leads',
  commandCode: 'crm:create_lead',
  code: 'lead_follow_up',
  assistant: 'crm',
};
const QUERY = '?datasourceId=lead_statuses';

export type DeclaredRoute = RegisteredRoute & { readonly method: string; readonly access: readonly string[] };

export async function allRoutes(): Promise<RegisteredRoute[]> {
  return routesOf((await container()).app);
}

/** The routes for one method each; what is left only answers 405. */
export function declaredAmong(routes: readonly RegisteredRoute[]): DeclaredRoute[] {
  return routes.filter((route): route is DeclaredRoute => route.method !== null && route.access !== null);
}

export function isPublic({ access }: DeclaredRoute): boolean {
  return access.includes(PUBLIC);
}

export function nameOf({ method, path }: { method: string | null; path: string }): string {
  return `${method ?? 'ALL'} ${path}`;
}

/** A path and query that the route matches. */
export function targetOf({ path }: DeclaredRoute): string {
  return path.replace(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV') + QUERY;
}
