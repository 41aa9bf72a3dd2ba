import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { textIn, writeSearch } from './app/address.ts';
import { loadGroup } from './app/texts.ts';
import type { TextGroup } from './app/texts/groups.ts';
import { parseImportSearch } from './parts/imports/import-search.ts';
import { lazyPart } from './parts/loading/lazy-part.tsx';
import { parsePageSearch } from './parts/records/page-search.ts';
import { Gate } from './screens/Gate.tsx';
import { FailedScreen } from './screens/start/FailedScreen.tsx';
import { LostScreen } from './screens/start/LostScreen.tsx';
import { StartScreen } from './screens/start/StartScreen.tsx';

/**
 * A screen, with the texts of its group and of those whose parts it uses. Screens ask for the types of
 * routes: what they answer is left open here, so that no type waits for itself.
 */
function screenOf<N extends string>(
  group: TextGroup | readonly TextGroup[],
  load: () => Promise<Readonly<Record<N, unknown>>>,
  name: N,
) {
  const groups = typeof group === 'string' ? [group] : group;
  return lazyPart(async () => {
    const [screens] = await Promise.all([load(), ...groups.map(loadGroup)]);
    return { default: screens[name] as ComponentType };
  }, FailedScreen);
}

const root = createRootRoute({ component: Gate, notFoundComponent: LostScreen });
const start = createRoute({ getParentRoute: () => root, path: '/', component: StartScreen });
const page = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageKey',
  validateSearch: parsePageSearch,
  component: screenOf([], () => import('./screens/page/PageScreen.tsx'), 'PageScreen'),
});

const record = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageKey/$pid',
  validateSearch: parsePageSearch,
  component: screenOf([], () => import('./screens/record/RecordScreen.tsx'), 'RecordScreen'),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/dashboards/$code',
  component: screenOf([], () => import('./screens/dashboard/DashboardScreen.tsx'), 'DashboardScreen'),
});

const work = createRoute({
  getParentRoute: () => root,
  path: '/work',
  component: screenOf([], () => import('./screens/work/WorkScreen.tsx'), 'WorkScreen'),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: screenOf([], () => import('./screens/account/AccountScreen.tsx'), 'AccountScreen'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: screenOf([], () => import('./screens/reset-password/ResetPasswordScreen.tsx'), 'ResetPasswordScreen'),
});

const importFile = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageKey/import',
  validateSearch: parseImportSearch,
  component: screenOf('imports', () => import('./screens/import/ImportScreen.tsx'), 'ImportScreen'),
});

const trash = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageKey/trash',
  component: screenOf(['trash', 'operate'], () => import('./screens/trash/TrashScreen.tsx'), 'TrashScreen'),
});

type Texts<Name extends string> = { readonly [N in Name]?: string };

/** Keeps these texts of an address. */
const pick =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): Texts<Name> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = textIn(search[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ) as Texts<Name>;

/** Authors see what promotions and operators see, too. */
const BUILD = ['build', 'administer', 'operate'] as const;

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/operate/webhooks',
  component: screenOf('operate', () => import('./screens/operate/WebhooksScreen.tsx'), 'WebhooksScreen'),
});

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/operate/deliveries',
  component: screenOf('operate', () => import('./screens/operate/DeliveriesScreen.tsx'), 'DeliveriesScreen'),
});

const executions = createRoute({
  getParentRoute: () => root,
  path: '/operate/executions',
  component: screenOf('operate', () => import('./screens/operate/ExecutionsScreen.tsx'), 'ExecutionsScreen'),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/operate/runs',
  component: screenOf('operate', () => import('./screens/operate/RunsScreen.tsx'), 'RunsScreen'),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/operate/runs/$runPid',
  component: screenOf('operate', () => import('./screens/operate/RunScreen.tsx'), 'RunScreen'),
});

const imports = createRoute({
  getParentRoute: () => root,
  path: '/operate/imports',
  component: screenOf('operate', () => import('./screens/operate/ImportsScreen.tsx'), 'ImportsScreen'),
});

const health = createRoute({
  getParentRoute: () => root,
  path: '/operate/health',
  component: screenOf('operate', () => import('./screens/operate/HealthScreen.tsx'), 'HealthScreen'),
});

const trace = createRoute({
  getParentRoute: () => root,
  path: '/operate/traces/$traceId',
  component: screenOf('operate', () => import('./screens/operate/TraceScreen.tsx'), 'TraceScreen'),
});

const promotions = createRoute({
  getParentRoute: () => root,
  path: '/promotions',
  validateSearch: pick('status', 'page'),
  component: screenOf('administer', () => import('./screens/promotions/PromotionsScreen.tsx'), 'PromotionsScreen'),
});

const newPromotion = createRoute({
  getParentRoute: () => root,
  path: '/promotions/new',
  validateSearch: pick('source', 'target'),
  component: screenOf('administer', () => import('./screens/promotions/NewPromotionScreen.tsx'), 'NewPromotionScreen'),
});

const promotion = createRoute({
  getParentRoute: () => root,
  path: '/promotions/$pid',
  validateSearch: pick('unit'),
  component: screenOf('administer', () => import('./screens/promotions/PromotionScreen.tsx'), 'PromotionScreen'),
});

const environments = createRoute({
  getParentRoute: () => root,
  path: '/environments',
  validateSearch: pick('environment', 'builds'),
  component: screenOf(
    'administer',
    () => import('./screens/environments/EnvironmentsScreen.tsx'),
    'EnvironmentsScreen',
  ),
});

const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: pick('q', 'page'),
  component: screenOf('administer', () => import('./screens/administration/UsersScreen.tsx'), 'UsersScreen'),
});

const serviceAccounts = createRoute({
  getParentRoute: () => root,
  path: '/service-accounts',
  validateSearch: pick('page'),
  component: screenOf(
    'administer',
    () => import('./screens/administration/ServiceAccountsScreen.tsx'),
    'ServiceAccountsScreen',
  ),
});

const tenants = createRoute({
  getParentRoute: () => root,
  path: '/tenants',
  validateSearch: pick('q', 'page'),
  component: screenOf('administer', () => import('./screens/administration/TenantsScreen.tsx'), 'TenantsScreen'),
});

const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  component: screenOf('administer', () => import('./screens/administration/ChannelsScreen.tsx'), 'ChannelsScreen'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: pick('action', 'actor', 'target', 'environment', 'since', 'until', 'page'),
  component: screenOf('administer', () => import('./screens/administration/AuditScreen.tsx'), 'AuditScreen'),
});

const resources = createRoute({
  getParentRoute: () => root,
  path: '/build',
  validateSearch: pick('type', 'app', 'q', 'page'),
  component: screenOf(BUILD, () => import('./screens/build/ResourcesScreen.tsx'), 'ResourcesScreen'),
});

const newModel = createRoute({
  getParentRoute: () => root,
  path: '/build/new',
  component: screenOf(BUILD, () => import('./screens/build/NewModelScreen.tsx'), 'NewModelScreen'),
});

const resource = createRoute({
  getParentRoute: () => root,
  path: '/build/$type/$code',
  component: screenOf(BUILD, () => import('./screens/build/ResourceScreen.tsx'), 'ResourceScreen'),
});

/** The addresses of the console, below `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([
    start,
    page,
    importFile,
    trash,
    record,
    dashboard,
    work,
    account,
    resetPassword,
    resources,
    newModel,
    resource,
    webhooks,
    deliveries,
    executions,
    runs,
    run,
    imports,
    health,
    trace,
    promotions,
    newPromotion,
    promotion,
    environments,
    users,
    serviceAccounts,
    tenants,
    channels,
    audit,
  ]),
  basepath: '/console',
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error, reset }) => <FailedScreen error={error} onRetry={reset} />,
  defaultNotFoundComponent: LostScreen,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
