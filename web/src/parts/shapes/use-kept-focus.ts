import { useEffect, useRef, type RefObject } from 'react';

/** As long as a move may take. */
const KEPT_MS = 5_000;

interface KeptFocus {
  readonly area: RefObject<HTMLDivElement | null>;
  /** Says which record the keyboard has moved. */
  readonly keep: (pid: string) => void;
}

/** A record that the keyboard moves is drawn anew in its new place: the focus goes with it. */
export function useKeptFocus(): KeptFocus {
  const area = useRef<HTMLDivElement>(null);
  const kept = useRef({ pid: '', until: 0 });
  useEffect(() => {
    const { pid, until } = kept.current;
    if (Date.now() > until || document.activeElement !== document.body) return;
    area.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(pid)}"]`)?.focus();
  });
  return {
    area,
    keep: (pid) => {
      kept.current = { pid, until: Date.now() + KEPT_MS };
    },
  };
}
