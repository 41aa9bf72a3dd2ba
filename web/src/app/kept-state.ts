import { useEffect, useState } from 'react';
import { session } from './client.ts';

const KEY = 'keelson:kept';

interface Kept {
  readonly address: string;
  readonly states: Readonly<Record<string, unknown>>;
}

const states = new Map<string, unknown>();
const restored = takeKept();

/** State of a half-filled form: outlives a reload by `reloadKeeping`. It must be JSON, and no secret. */
export function useKeptState<T>(name: string, initial: T) {
  const key = `${session.state().login?.userPid} ${name}`;
  const [state, setState] = useState<T>(() => (restored.has(key) ? (restored.get(key) as T) : initial));
  useEffect(() => {
    restored.delete(key);
    states.set(key, state);
    return () => void states.delete(key);
  }, [key, state]);
  return [state, setState] as const;
}

/** Loads the page again, with what is typed into its forms. */
export function reloadKeeping(): void {
  const kept: Kept = { address: location.href, states: Object.fromEntries(states) };
  sessionStorage.setItem(KEY, JSON.stringify(kept));
  location.reload();
}

function takeKept(): Map<string, unknown> {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const { address, states } = JSON.parse(text ?? '{}') as Partial<Kept>;
  return new Map(address === location.href ? Object.entries(states ?? {}) : []);
}
