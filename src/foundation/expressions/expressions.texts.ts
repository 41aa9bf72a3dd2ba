import type { TemplatesOf, TextTable } from '../i18n/text-table.ts';

export const EXPRESSIONS_TEXTS = {
  'expression.invalid': { en: 'is not a valid expression: {problem}', zhCn: '不是有效的表达式：{problem}' },
  'expression.is_text': {
    en: 'is not a valid expression (a text is written {expression}): {problem}',
    zhCn: '不是有效的表达式（文本写作 {expression}）：{problem}',
  },
  'expression.wanted': { en: 'write it as an expression: {expression}', zhCn: '请写成表达式：{expression}' },
  'expression.cannot_evaluate': { en: 'cannot be evaluated', zhCn: '无法计算' },
  'expression.types': {
    en: 'is not a valid expression: line {line}, column {column}: {problem}',
    zhCn: '不是有效的表达式：第 {line} 行第 {column} 列：{problem}',
  },
  'expression.not_one_of': { en: '{value} is not one of {values}', zhCn: '{value} 不在 {values} 之中' },
  'expression.limit': {
    en: 'The expression {path} takes more than {max} steps: line {line}, column {column}',
    zhCn: '表达式 {path} 超过 {max} 步：第 {line} 行第 {column} 列',
  },
  'expression.condition': {
    en: 'is not a valid condition: line {line}, column {column}: {problem}',
    zhCn: '不是有效的条件：第 {line} 行第 {column} 列：{problem}',
  },
  'expression.other_type': { en: 'says {type}, not {wanted}', zhCn: '结果是 {type}，而不是 {wanted}' },
  'expression.does_not_fit': { en: 'says {type}: {problem}', zhCn: '结果是 {type}：{problem}' },
  'expression.not_boolean': { en: 'says {type}, not true or false', zhCn: '结果是 {type}，而不是 true 或 false' },
  'expression.word_of_cel': {
    en: '{word} is a word of CEL; a field of that name is payload.{field}',
    zhCn: '{word} 是 CEL 的保留字；同名字段请写作 payload.{field}',
  },
  'expression.loop': {
    en: 'within a loop only its variable {variable} can be read',
    zhCn: '循环内只能读取循环变量 {variable}',
  },
  'expression.function': { en: '{function}() is not available here', zhCn: '此处不能使用 {function}()' },
  'decimal.too_large': { en: 'the decimal is too large', zhCn: '小数过大' },
  'decimal.invalid': { en: 'is not a decimal number', zhCn: '不是十进制数' },
  'decimal.division_by_zero': { en: 'division by zero', zhCn: '除数为零' },
  'pattern.problem': { en: 'the pattern {problem}', zhCn: '正则表达式{problem}' },
  'pattern.invalid': {
    en: 'is not a regular expression of RE2: {reason}, character {position}',
    zhCn: '不是 RE2 正则表达式：{reason}，第 {position} 个字符',
  },
  'pattern.look_around': {
    en: 'must not look ahead or behind: character {position}',
    zhCn: '不能使用前瞻或后顾断言：第 {position} 个字符',
  },
  'pattern.back_reference': {
    en: 'must not refer back to a group: character {position}',
    zhCn: '不能反向引用分组：第 {position} 个字符',
  },
  'pattern.too_large': {
    en: 'is too large: its repetitions make more than {max} steps',
    zhCn: '过大：其重复超过 {max} 步',
  },
  'pattern.max_length': {
    en: 'fits texts of at most {max} characters: lower maxLength',
    zhCn: '最多适用于 {max} 个字符的文本：请减小 maxLength',
  },
  'expression.cron_parts': {
    en: 'must have five parts: minute, hour, day of the month, month, day of the week',
    zhCn: '必须有五个部分：分钟、小时、日、月、星期',
  },
  'expression.cron_part': { en: 'has a wrong {problem}', zhCn: '{problem}部分有误' },
  'expression.cron_never': { en: 'names a day that its months do not have', zhCn: '指定的日期在所选月份中不存在' },
  'expression.minute': { en: 'minute', zhCn: '分钟' },
  'expression.hour': { en: 'hour', zhCn: '小时' },
  'expression.day_of_month': { en: 'day of the month', zhCn: '日' },
  'expression.month': { en: 'month', zhCn: '月' },
  'expression.day_of_week': { en: 'day of the week', zhCn: '星期' },
} as const satisfies TextTable;

declare module '../i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof EXPRESSIONS_TEXTS> {}
}
