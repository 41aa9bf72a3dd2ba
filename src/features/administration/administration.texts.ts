import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const ADMINISTRATION_TEXTS = {
  'validation.places_some': {
    en: 'must be an array of one or more {tenantId, roles}',
    zhCn: '必须是至少含一项的 {tenantId, roles} 数组',
  },
  'secrets.cursor': { en: 'must be the one of an earlier answer', zhCn: '必须是先前应答中的游标' },
  'account.no_user': { en: 'There is no such user', zhCn: '用户不存在' },
  'account.no_tenant': { en: 'There is no such tenant', zhCn: '租户不存在' },
  'account.no_service_account': { en: 'There is no such service account', zhCn: '服务账号不存在' },
  'account.no_key': { en: 'There is no such key', zhCn: '密钥不存在' },
  'account.own_status': { en: 'Nobody changes their own status or roles', zhCn: '不能更改自己的状态或角色' },
  'account.own_tenant': { en: 'Nobody suspends the tenant they are working in', zhCn: '不能停用自己正在使用的租户' },
  'account.last_admin': { en: 'Nobody would be PLATFORM_ADMIN any more', zhCn: '将不再有任何 PLATFORM_ADMIN' },
  'account.unknown_role': { en: 'there is no role {code}', zhCn: '角色 {code} 不存在' },
  'account.unknown_tenant': { en: 'there is no tenant {id}', zhCn: '租户 {id} 不存在' },
  'account.tenant_once': { en: 'must name each tenant once', zhCn: '每个租户只能出现一次' },
  'account.tenant_id': { en: 'must be the id of a tenant', zhCn: '必须是租户的 id' },
  'account.email': { en: 'must be an e-mail', zhCn: '必须是邮箱地址' },
  'account.memberships': { en: 'must be an array of {tenantId, roles}', zhCn: '必须是 {tenantId, roles} 的数组' },
  'account.permission_codes': {
    en: 'must be an array of 1 to {max} permission codes',
    zhCn: '必须是 1 到 {max} 个权限代码的数组',
  },
  'account.expiry': {
    en: 'must be an ISO 8601 time within the next {days} days',
    zhCn: '必须是未来 {days} 天内的 ISO 8601 时间',
  },
  'account.value_taken': { en: 'The value is taken', zhCn: '该值已被使用' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof ADMINISTRATION_TEXTS> {}
}
