import { useKeys } from '../../ui/use-keys.ts';

/** `j` and `k` go on to the next and the previous row while one is open. */
export function useSteps(keys: readonly string[], open: string | undefined, onOpen: (key: string) => void): void {
  const step = (by: number) => () => {
    const next = open === undefined ? undefined : keys[keys.indexOf(open) + by];
    if (next !== undefined) onOpen(next);
  };
  useKeys({ j: step(1), k: step(-1) });
}
