import type { TemplatesOf, TextTable } from '../i18n/text-table.ts';

export const VALIDATION_TEXTS = {
  'validation.suggestion': {
    en: '{problem}; did you mean {suggestion}?',
    zhCn: '{problem}；是否指 {suggestion}？',
  },
  'validation.required': { en: 'is required', zhCn: '必填' },
  'validation.named_twice': { en: 'is named twice', zhCn: '重复列出' },
  'validation.not_valid': { en: 'is not valid', zhCn: '无效' },
  'validation.unknown': { en: 'is not known here', zhCn: '此处未知' },
  'validation.unknown_among': { en: 'is not known here; known are {names}', zhCn: '此处未知；已知的有 {names}' },
  'validation.no_nul_or_bad_unicode': {
    en: 'must not contain NUL or ill-formed Unicode',
    zhCn: '不能包含 NUL 或格式错误的 Unicode',
  },
  'validation.name': {
    en: 'must be a text without control or direction characters',
    zhCn: '必须是不含控制字符或方向字符的文本',
  },
  'validation.text': { en: 'must be a text', zhCn: '必须是文本' },
  'validation.written': { en: 'must be a text that is not empty', zhCn: '必须是非空文本' },
  'validation.not_empty': { en: 'must not be empty', zhCn: '不能为空' },
  'validation.text_from_to': {
    en: 'must be a text of {min} to {max} characters',
    zhCn: '必须是 {min} 到 {max} 个字符的文本',
  },
  'validation.boolean': { en: 'must be true or false', zhCn: '必须是 true 或 false' },
  'validation.time': {
    en: 'must be a date or an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z',
    zhCn: '必须是日期，或带时区的 ISO 8601 时间，例如 2026-01-31T09:30:00Z',
  },
  'validation.integer_from_to': {
    en: 'must be a whole number from {min} to {max}',
    zhCn: '必须是 {min} 到 {max} 的整数',
  },
  'validation.integer_from': { en: 'must be a whole number from {min}', zhCn: '必须是不小于 {min} 的整数' },
  'validation.integer': { en: 'must be a whole number', zhCn: '必须是整数' },
  'validation.number': { en: 'must be a number', zhCn: '必须是数字' },
  'validation.number_from_to': { en: 'must be a number from {min} to {max}', zhCn: '必须是 {min} 到 {max} 的数字' },
  'validation.object': { en: 'must be an object', zhCn: '必须是对象' },
  'validation.array': { en: 'must be an array', zhCn: '必须是数组' },
  'validation.entries': { en: 'must have {min} to {max} entries', zhCn: '必须有 {min} 到 {max} 项' },
  'validation.entries_at_least': { en: 'must have at least {min} entries', zhCn: '至少要有 {min} 项' },
  'validation.one_of': { en: 'must be one of {values}', zhCn: '必须是以下之一：{values}' },
  'validation.max_length': { en: 'must not be longer than {max} characters', zhCn: '不能超过 {max} 个字符' },
  'validation.not_json': { en: 'is not valid JSON', zhCn: '不是有效的 JSON' },
  'validation.too_deep': { en: 'is nested deeper than {max} levels', zhCn: '嵌套超过 {max} 层' },
  'validation.too_many_values': { en: 'has more than {max} values', zhCn: '包含的值超过 {max} 个' },
  'validation.too_many_keys': { en: 'has more than {max} keys', zhCn: '包含的键超过 {max} 个' },
  'validation.too_many_keys_of_object': {
    en: 'has more than {max} keys in an object',
    zhCn: '某个对象包含的键超过 {max} 个',
  },
  'validation.forbidden_key': { en: 'must not contain the key {key}', zhCn: '不能包含键 {key}' },
  'validation.rounded_number': {
    en: 'holds the number {number}, which would be rounded: send at most 15 digits, or a text where the field takes one',
    zhCn: '包含会被舍入的数字 {number}：最多发送 15 位数字，或在字段接受文本时发送文本',
  },
  'account.taken': { en: 'is taken', zhCn: '已被使用' },
  'validation.at_place': { en: '{place} {problem}', zhCn: '{place} {problem}' },
  'validation.of_field': { en: '{field}: {problem}', zhCn: '{field}: {problem}' },
  'validation.problems': { en: '{problems}', zhCn: '{problems}' },
} as const satisfies TextTable;

declare module '../i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof VALIDATION_TEXTS> {}
}
