import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const WEBHOOKS_TEXTS = {
  'webhook.warning.filter': { en: 'The filter {problem}', zhCn: '过滤条件：{problem}' },
  'webhook.none': { en: 'There is no such subscription', zhCn: '订阅不存在' },
  'webhook.no_delivery': { en: 'There is no such delivery', zhCn: '投递不存在' },
  'webhook.no_recovery': { en: 'There is no such recovery', zhCn: '恢复任务不存在' },
  'webhook.deleted': { en: 'The subscription has been deleted', zhCn: '订阅已删除' },
  'webhook.disabled': { en: 'The subscription is disabled: enable it first', zhCn: '订阅已停用：请先启用' },
  'webhook.reason_disabled': { en: 'subscription disabled', zhCn: '订阅已停用' },
  'webhook.reason_deleted': { en: 'subscription deleted', zhCn: '订阅已删除' },
  'webhook.exhausted': {
    en: '{count} deliveries ran out of retries within 24 hours',
    zhCn: '24 小时内有 {count} 个投递用尽了重试次数',
  },
  'webhook.secret_unreadable': {
    en: "the subscription's secret cannot be read any more; set it again",
    zhCn: '订阅的密钥已无法读取，请重新设置',
  },
  'webhook.too_many': { en: 'There are {count} subscriptions already', zhCn: '已有 {count} 个订阅，不能再增加' },
  'webhook.first_attempt': { en: 'The delivery is about to be sent for the first time', zhCn: '该投递即将首次发送' },
  'webhook.ended': { en: 'The delivery has ended: {status}', zhCn: '该投递已结束：{status}' },
  'webhook.no_event': {
    en: 'No event of late matches the subscription; test it with a sample',
    zhCn: '近期没有事件与该订阅匹配；请用示例测试',
  },
  'webhook.endpoint_answered': { en: 'the endpoint answered {status}', zhCn: '接收端应答 {status}' },
  'webhook.no_emitter': {
    en: 'Nothing in this environment emits {type}: nothing will be sent',
    zhCn: '该环境不会发出 {type} 事件，因此不会有投递',
  },
  'webhook.https': {
    en: 'The address is not HTTPS: what is sent can be read on its way',
    zhCn: '该地址未使用 HTTPS，内容在传输途中可能被读取',
  },
  'webhook.removed': {
    en: 'The stored headers and secret belong to the former address and are removed',
    zhCn: '已保存的请求头和密钥属于原地址，已被移除',
  },
  'webhook.channel_only': { en: 'is for the reply URLs of channels alone', zhCn: '仅用于渠道的回复 URL' },
  'webhook.of_channel': {
    en: 'It belongs to a channel: change the binding of that',
    zhCn: '它属于一个渠道：请更改该渠道的绑定',
  },
  'webhook.moved': { en: 'sent to another address before', zhCn: '此前发送到另一个地址' },
  'webhook.endless': {
    en: 'the attempt was begun three times without an end',
    zhCn: '该尝试已开始三次但从未结束',
  },
  'webhook.unreadable': {
    en: 'the owner of the subscription may not read this event',
    zhCn: '订阅的所有者无权读取该事件',
  },
  'webhook.no_model': { en: 'is not a model of this environment', zhCn: '不是该环境的模型' },
  'webhook.before_since': { en: 'must not be before since', zhCn: '不能早于 since' },
  'webhook.cursor': { en: 'is not one that this list has given', zhCn: '不是该列表给出的游标' },
  'webhook.headers': { en: 'must be an object of names and values', zhCn: '必须是由名称和值组成的对象' },
  'webhook.header_count': { en: 'must not be more than {max}', zhCn: '不能超过 {max} 个' },
  'webhook.header_twice': { en: 'names a header twice', zhCn: '同一请求头出现了两次' },
  'webhook.header_own': { en: '{name} is set by the service and cannot be given', zhCn: '{name} 由服务设置，不能指定' },
  'webhook.header_text': {
    en: '{name} must be a text of printable ASCII characters',
    zhCn: '{name} 必须是可打印的 ASCII 文本',
  },
  'webhook.header_length': { en: '{name} must not be longer than {max} bytes', zhCn: '{name} 不能超过 {max} 字节' },
  'webhook.header_mask': {
    en: '{name} has no stored value that *** could stand for',
    zhCn: '{name} 没有已保存的值，*** 无从代替',
  },
  'webhook.schedule': {
    en: 'must be {min} to {max} whole numbers of milliseconds, each from {from} to {to}',
    zhCn: '必须是 {min} 到 {max} 个毫秒整数，每个从 {from} 到 {to}',
  },
  'webhook.base64': { en: 'must have base64 behind whsec_', zhCn: 'whsec_ 之后必须是 base64' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof WEBHOOKS_TEXTS> {}
}
