import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const AUTH_TEXTS = {
  'said.wrong_credentials': { en: 'The e-mail or the password is wrong', zhCn: '邮箱或密码错误' },
  'said.no_membership': { en: 'The user is a member of no tenant', zhCn: '该用户不属于任何租户' },
  'account.no_session': { en: 'There is no such session', zhCn: '会话不存在' },
  'account.session_ended': { en: 'The session has ended; log in again', zhCn: '会话已结束，请重新登录' },
  'account.credentials_not_valid': {
    en: 'The token or API key is not valid, or has expired',
    zhCn: '令牌或 API 密钥无效，或已过期',
  },
  'account.key_has_no_session': { en: 'An API key has no session', zhCn: 'API 密钥没有会话' },
  'account.key_owner_inactive': {
    en: 'The API key is suspended: its owner is no active user of this tenant',
    zhCn: 'API 密钥已暂停：其负责人不是本租户的有效用户',
  },
  'account.key_owner_demoted': {
    en: 'The API key is suspended: its owner may no longer grant its scopes',
    zhCn: 'API 密钥已暂停：其负责人已无权授予其权限范围',
  },
  'account.wrong': { en: 'is wrong', zhCn: '错误' },
  'account.password_length': { en: 'must have {min} to {max} characters', zhCn: '必须有 {min} 到 {max} 个字符' },
  'account.password_is_email': { en: 'must not be the e-mail', zhCn: '不能与邮箱相同' },
  'account.password_is_current': { en: 'must not be the current one', zhCn: '不能与当前密码相同' },
  'account.reset_token': { en: 'does not work, or no longer; ask for a new one', zhCn: '无效或已失效，请重新申请' },
  'account.reset_requested': {
    en: 'if somebody has this e-mail, a message is on its way',
    zhCn: '如果该邮箱属于某位用户，邮件已在途中',
  },
  'reset_mail.subject': { en: 'Set your password', zhCn: '设置您的密码' },
  'reset_mail.greeting': { en: 'Hello {username},', zhCn: '{username}，您好：' },
  'reset_mail.reason': {
    en: 'somebody, probably you, asked to set your password.',
    zhCn: '有人（可能是您本人）请求设置您的密码。',
  },
  'reset_mail.token': { en: 'Your reset token is', zhCn: '您的重置令牌是' },
  'reset_mail.use_token': {
    en: 'Send it with the new password to /api/auth/password-reset/confirm.',
    zhCn: '请将其与新密码一起发送到 /api/auth/password-reset/confirm。',
  },
  'reset_mail.link': { en: 'Choose a new password here:', zhCn: '请在此设置新密码：' },
  'reset_mail.end': {
    en: 'It works once, for 30 minutes. If it was not you, ignore this e-mail: your password stays as it is.',
    zhCn: '仅可使用一次，30 分钟内有效。如非您本人操作，请忽略此邮件，您的密码不会改变。',
  },
  'users.role_held': {
    en: '{count} users have the role {role}: {names}',
    zhCn: '{count} 个用户拥有角色 {role}：{names}',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof AUTH_TEXTS> {}
}
