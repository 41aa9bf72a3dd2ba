import type { Me } from './application.ts';

/**
 * Whether someone has a permission; `*` at the end of a code stands for whatever follows. `*` alone is all
 * of a tenant's, not what all tenants share.
 */
export function may(me: Me | undefined, code: string): boolean {
  return (me?.permissions ?? []).some(
    (held) =>
      held === code ||
      (held.endsWith('*') && code.startsWith(held.slice(0, -1)) && (held !== '*' || !code.startsWith('admin:'))),
  );
}

/** Whether someone has one of several permissions. */
export function mayAny(me: Me | undefined, codes: readonly string[]): boolean {
  return codes.some((code) => may(me, code));
}
