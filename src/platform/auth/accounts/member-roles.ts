/** SQL expression: the roles of an active user in a tenant; null where the user is no active member. */
export function rolesOfMember(tenantId: string, userPid: string): string {
  return `(select m.roles from platform."user" u join platform.membership m on m.user_id = u.id
    where u.pid = ${userPid} and u.status = 'active' and m.tenant_id = ${tenantId})`;
}
