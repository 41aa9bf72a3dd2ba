import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const ASSISTANT_TEXTS = {
  'conversation.none': { en: 'There is no such conversation', zhCn: '对话不存在' },
  'conversation.no_confirmation': { en: 'There is no such confirmation', zhCn: '确认请求不存在' },
  'conversation.waits': {
    en: 'The conversation waits for a command to be confirmed or declined',
    zhCn: '对话正在等待确认或拒绝一个命令',
  },
  'conversation.busy': { en: 'The conversation is being answered', zhCn: '对话正在回答中' },
  'conversation.settled': { en: 'It is {status} already', zhCn: '其状态已是 {status}' },
  'conversation.nothing_to_stop': { en: 'No answer is being made', zhCn: '当前没有正在生成的回答' },
  'conversation.interrupted': {
    en: 'The answer was interrupted and could not be finished',
    zhCn: '回答中断，未能完成',
  },
  'conversation.never_begun': { en: 'The answer was never begun', zhCn: '回答从未开始' },
  'conversation.failed': { en: 'The answer could not be made', zhCn: '未能生成回答' },
  'conversation.too_long': { en: 'The answer became too long', zhCn: '回答过长' },
  'conversation.no_rights': { en: 'Whoever asked may not act here any more', zhCn: '提问者在此已无权操作' },
  'conversation.declined': { en: 'The user has declined; the command was not run', zhCn: '用户已拒绝；命令未执行' },
  'conversation.not_confirmed': {
    en: 'The user has not confirmed in time; the command was not run',
    zhCn: '用户未及时确认；命令未执行',
  },
  'conversation.channel': { en: 'Nobody can confirm commands in a channel', zhCn: '在消息渠道中无法确认命令' },
  'conversation.id': { en: 'must be the id of a conversation', zhCn: '必须是对话的 id' },
  'conversation.confirmation_id': { en: 'must be the id of a confirmation', zhCn: '必须是确认请求的 id' },
  'conversation.no_tool': { en: 'There is no tool {name}', zhCn: '工具 {name} 不存在' },
  'conversation.result_too_large': { en: 'The result is too large to be shown here', zhCn: '结果过大，无法在此显示' },
  'provider.busy': { en: 'The AI provider has too much to do', zhCn: 'AI 服务商繁忙' },
  'provider.busy_until': {
    en: 'The AI provider has too much to do; try again in {seconds} s',
    zhCn: 'AI 服务商繁忙；请在 {seconds} 秒后重试',
  },
  'provider.credentials': {
    en: 'The AI provider refuses the credentials of this installation',
    zhCn: 'AI 服务商拒绝了本系统的凭据',
  },
  'provider.refuses': { en: 'The AI provider refuses the request ({status})', zhCn: 'AI 服务商拒绝了请求（{status}）' },
  'provider.unavailable': { en: 'The AI provider is unavailable', zhCn: 'AI 服务商不可用' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof ASSISTANT_TEXTS> {}
}
