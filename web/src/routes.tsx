import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { parsePageSearch } from './parts/records/page-search.ts';
import { Gate } from './screens/Gate.tsx';
import { FailedScreen } from './screens/start/FailedScreen.tsx';
import { LostScreen } from './screens/start/LostScreen.tsx';
import { StartScreen } from './screens/start/StartScreen.tsx';

const root = createRootRoute({ component: Gate, notFoundComponent: LostScreen });
const start = createRoute({ getParentRoute: () => root, path: '/', component: StartScreen });
const page = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageKey',
  validateSearch: parsePageSearch,
  component: lazyRouteComponent(() => import('./screens/page/PageScreen.tsx'), 'PageScreen'),
});

const record = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageKey/$pid',
  validateSearch: parsePageSearch,
  component: lazyRouteComponent(() => import('./screens/record/RecordScreen.tsx'), 'RecordScreen'),
});

/** The addresses of the console, below `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([start, page, record]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: FailedScreen,
  defaultNotFoundComponent: LostScreen,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
