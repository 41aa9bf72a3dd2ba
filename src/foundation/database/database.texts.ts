import type { TemplatesOf, TextTable } from '../i18n/text-table.ts';

export const DATABASE_TEXTS = {
  'said.too_large': {
    en: 'This has more than {maxMb} MiB: ask for fewer records (pageSize), fields or expansions',
    zhCn: '内容超过 {maxMb} MiB：请减少记录（pageSize）、字段或展开的关系',
  },
  'said.too_large_to_write': {
    en: 'This reads or changes records of more than {maxMb} MiB at once: do it in parts, related records first',
    zhCn: '一次读取或更改的记录超过 {maxMb} MiB：请分批进行，先处理相关记录',
  },
  'said.no_memory': {
    en: 'Too many large answers are under way: try again, or ask for less',
    zhCn: '正在处理过多的大型响应：请重试，或减少请求的内容',
  },
  'said.database_slow': { en: 'The database took too long to answer', zhCn: '数据库响应超时' },
  'said.database_busy': {
    en: 'Somebody else is changing the same; try again',
    zhCn: '其他人正在修改相同的内容，请重试',
  },
} as const satisfies TextTable;

declare module '../i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof DATABASE_TEXTS> {}
}
