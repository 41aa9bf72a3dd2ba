import { useAddress } from '../operate/use-address.ts';

/** The place in a list that comes by pages, as the address says it: what is looked for, and the page. */
export function usePages() {
  const [{ q = '', page = '1' }, change] = useAddress();
  return {
    q,
    page: Math.max(1, Number(page) || 1),
    find: (next: string) => change({ q: next === '' ? undefined : next, page: undefined }, { isReplacing: true }),
    go: (next: number) => change({ page: next > 1 ? String(next) : undefined }, { isReplacing: true }),
  };
}
