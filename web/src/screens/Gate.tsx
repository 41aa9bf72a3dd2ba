import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useSyncExternalStore } from 'react';
import { session } from '../app/client.ts';
import { Frame } from './frame/Frame.tsx';
import { LogInAgain } from './log-in/LogInAgain.tsx';
import { LogInScreen } from './log-in/LogInScreen.tsx';
import { FailedScreen } from './start/FailedScreen.tsx';

/** Nothing is shown without a session. One that ends leaves everything where it was, under a log-in. */
export function Gate() {
  const { status, error } = useSyncExternalStore(session.subscribe, session.state);
  const { pathname } = useLocation();
  // The token in the link is all that counts there.
  if (pathname === '/reset-password') {
    return (
      <Suspense>
        <Outlet />
      </Suspense>
    );
  }
  if (status === 'starting') return null;
  if (status === 'away') {
    return (
      <main>
        <FailedScreen error={error} onRetry={() => void session.start()} />
      </main>
    );
  }
  if (status === 'absent') return <LogInScreen />;
  return (
    <>
      <Frame />
      {status === 'ended' && <LogInAgain />}
    </>
  );
}
