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

const OPEN = ':is([role=dialog], [role=menu]):not([data-closed])';

function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  // One that closes keeps the focus until it has faded.
  const isClosing = target.closest(':is([role=dialog], [role=menu])[data-closed]') !== null;
  if (isClosing) return document.querySelector(OPEN) !== null;
  return target.closest(`input:not([type=checkbox]), select, textarea, ${OPEN}`) !== null;
}
