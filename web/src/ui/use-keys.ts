import { useEffect } from 'react';
import { useLatest } from './use-latest.ts';

type Keys = Readonly<Record<string, (() => void) | undefined>>;

/** Keys of a screen, while nothing is typed and no dialog or menu is open. */
export function useKeys(keys: Keys): void {
  const current = useLatest(keys);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [current]);
}

function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest('input:not([type=checkbox]), select, textarea, [role=dialog], [role=menu]') !== null;
}
