import './app/tokens.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { session } from './app/client.ts';
import { applyPreferences } from './app/preferences.ts';
import { queries } from './app/queries.ts';
import { loadTexts } from './app/texts.ts';
import { router } from './routes.tsx';
import { FailedScreen } from './screens/start/FailedScreen.tsx';

applyPreferences();

let textsFailure: unknown;
const texts = loadTexts().catch((error: unknown) => {
  textsFailure = error;
  document.documentElement.lang = 'en';
});
await Promise.all([texts, session.start()]);

const element = document.getElementById('console');
if (!element) throw new Error('the page has no element for the console');
createRoot(element).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        {textsFailure === undefined ? (
          <RouterProvider router={router} />
        ) : (
          <main>
            <FailedScreen error={textsFailure} onRetry={() => location.reload()} />
          </main>
        )}
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
