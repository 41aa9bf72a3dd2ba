import type { TextTable } from '../i18n/text-table.ts';

export const HTTP_TEXTS: TextTable = {
  'said.no_such_path': { en: 'There is nothing at this path', zhCn: '此路径不存在' },
  'said.send_json': { en: 'Send Content-Type: application/json', zhCn: '请发送 Content-Type: application/json' },
  'said.send_multipart': {
    en: 'Send Content-Type: multipart/form-data',
    zhCn: '请发送 Content-Type: multipart/form-data',
  },
  'validation.one_file': {
    en: 'must be the only part of the body, and a file',
    zhCn: '必须是请求体中唯一的部分，且为文件',
  },
  'said.send_utf8': { en: 'JSON is sent as UTF-8', zhCn: 'JSON 须以 UTF-8 发送' },
  'validation.once': { en: 'is given more than once', zhCn: '重复给出' },
  'validation.malformed': { en: 'is malformed', zhCn: '格式错误' },
  'validation.not_json': { en: 'is not valid JSON', zhCn: '不是有效的 JSON' },
  'validation.json_object': { en: 'must be a JSON object', zhCn: '必须是 JSON 对象' },
  'validation.too_deep': { en: 'is nested deeper than {max} levels', zhCn: '嵌套超过 {max} 层' },
  'validation.too_many_values': { en: 'has more than {max} values', zhCn: '包含的值超过 {max} 个' },
  'validation.forbidden_key': { en: 'must not contain the key {key}', zhCn: '不能包含键 {key}' },
};
