const KEY = 'keelson:tenant';

/** The tenant that this tab works in; null: the one that log-ins are for. */
export const chosenTenant = sessionStorage.getItem(KEY);

export function forgetTenant(): void {
  sessionStorage.removeItem(KEY);
}

/** Everything on the screen is of one tenant: another starts anew. */
export function chooseTenant(tenantId: string | null): void {
  if (tenantId === null) forgetTenant();
  else sessionStorage.setItem(KEY, tenantId);
  location.assign('/console');
}
