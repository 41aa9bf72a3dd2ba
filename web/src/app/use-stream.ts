import type { StreamEvent } from '@keelson/client';
import { useEffect, useSyncExternalStore } from 'react';
import { client } from './client.ts';

/** Nobody looks at a hidden tab: it lets its streams go, as a browser has six connections for all tabs. */
function useIsVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    () => document.visibilityState === 'visible',
  );
}

/**
 * Follows streams as long as the tab is looked at.
 * @param paths as many as are followed at once
 * @param onEvent must not change from one drawing to the next
 */
export function useStreams(paths: readonly string[], onEvent: (event: StreamEvent) => void): void {
  const isVisible = useIsVisible();
  const key = paths.join(' ');
  useEffect(() => {
    if (!isVisible || key === '') return undefined;
    const stop = new AbortController();
    for (const path of key.split(' ')) void follow(path, stop.signal, onEvent);
    return () => stop.abort();
  }, [key, isVisible, onEvent]);
}

async function follow(path: string, signal: AbortSignal, onEvent: (event: StreamEvent) => void) {
  try {
    for await (const event of client.stream(path, { signal })) onEvent(event);
  } catch {
    // What is left or may not be read any more is not followed.
  }
}
