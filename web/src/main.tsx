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

applyPreferences();

/** A page that lacks a file is loaded again, but not for ever. */
const RELOAD_PAUSE_MS = 60_000;

// A new version is there: its files have other names.
window.addEventListener('vite:preloadError', () => {
  const last = Number(sessionStorage.getItem('keelson:reloaded'));
  if (Date.now() - last < RELOAD_PAUSE_MS) return;
  sessionStorage.setItem('keelson:reloaded', String(Date.now()));
  location.reload();
});

await Promise.all([loadTexts(), session.start()]);

const element = document.getElementById('console');
if (!element) throw new Error('the page has no element for the console');
createRoot(element).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
