import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const MESSAGING_TEXTS = {
  'channel.other_tenant': { en: 'The channel is bound to another tenant', zhCn: '该渠道已绑定到另一个租户' },
  'channel.not_bound': { en: 'The channel is not bound', zhCn: '该渠道尚未绑定' },
  'channel.signature': { en: 'The signature is wrong, or too old', zhCn: '签名错误或已过期' },
  'channel.bound': { en: 'The tenant {tenant} has bound the channel {code}', zhCn: '租户 {tenant} 已绑定渠道 {code}' },
  'channel.suspended': {
    en: 'The channel is suspended: its owner may no longer give it its roles',
    zhCn: '该渠道已被暂停：其负责人无权再授予其角色',
  },
  'channel.not_yours': { en: '{role} is not yours to give', zhCn: '您无权授予 {role}' },
  'channel.roles': { en: 'must be an array of 1 to {max} role codes', zhCn: '必须是 1 到 {max} 个角色代码的数组' },
  'channel.url': { en: 'must be a URL, or null', zhCn: '必须是 URL 或 null' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof MESSAGING_TEXTS> {}
}
