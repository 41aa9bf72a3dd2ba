import type { Express, Router } from 'express';
import type { Route } from '../../src/foundation/http/route.ts';
import { PUBLIC } from '../../src/platform/auth/requests/endpoint.ts';
import { container } from './world.ts';

/** What stands in for the variable parts of paths, so that the route finds what its permission is about. */
const PARAMETERS: Record<string, string> = {
  pageKey: 'leads',
  commandCode: 'crm:create_lead',
  code: 'lead_follow_up',
  assistant: 'crm',
  fieldCode: 'status',
  name: 'account',
};
const QUERY = '?datasourceId=lead_statuses';

/** All routes that the application is made of. */
export async function allRoutes(): Promise<readonly Route[]> {
  return (await container()).endpoints;
}

/**
 * `GET /path` of everything that Express has mounted, whatever way it came there; 405 handlers are left out.
 */
export function mountedIn(app: Express): string[] {
  return mounted(app.router.stack);
}

function mounted(layers: Router['stack']): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (!route) return 'stack' in handle ? mounted((handle as Router).stack) : [];
    return route.stack.flatMap(({ method }) => (method ? [`${method.toUpperCase()} ${route.path}`] : []));
  });
}

export function isPublic({ access }: Route): boolean {
  return access.includes(PUBLIC);
}

export function nameOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}

/** A path and query that the route matches; `id` stands for whatever has one. */
export function targetOf({ path }: Route, id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'): string {
  return path.replace(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? id) + QUERY;
}

/** Whether the path names something by its id. */
export function namesById(route: Route): boolean {
  return targetOf(route, 'a') !== targetOf(route, 'b');
}
