import type { TemplatesOf, TextTable } from '../i18n/text-table.ts';

export const HTTP_TEXTS = {
  'said.no_such_path': { en: 'There is nothing at this path', zhCn: '此路径不存在' },
  'said.send_json': { en: 'Send Content-Type: application/json', zhCn: '请发送 Content-Type: application/json' },
  'said.send_utf8': { en: 'JSON is sent as UTF-8', zhCn: 'JSON 须以 UTF-8 发送' },
  'validation.once': { en: 'is given more than once', zhCn: '重复给出' },
  'validation.not_utf8': { en: 'is not UTF-8', zhCn: '不是 UTF-8' },
  'validation.not_encoded': {
    en: 'must be percent-encoded: ASCII without spaces',
    zhCn: '必须使用百分号编码：仅限 ASCII 字符，不含空格',
  },
  'validation.malformed': { en: 'is malformed', zhCn: '格式错误' },
  'validation.json_object': { en: 'must be a JSON object', zhCn: '必须是 JSON 对象' },
} as const satisfies TextTable;

declare module '../i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof HTTP_TEXTS> {}
}
