/** SQL condition: the tenant is suspended. @param id the expression that names it */
export function isSuspendedTenant(id: string): string {
  return `exists (select 1 from platform.tenant t where t.id = ${id} and t.status = 'suspended')`;
}
