import type { TextTable } from '../i18n/text-table.ts';

export const DATABASE_TEXTS: TextTable = {
  'said.too_large': {
    en: 'These records have more than {maxMb} MiB: ask for fewer, or for fewer fields',
    zhCn: '这些记录超过 {maxMb} MiB：请减少记录或字段',
  },
  'said.database_slow': { en: 'The database took too long to answer', zhCn: '数据库响应超时' },
  'said.database_busy': {
    en: 'Somebody else is changing the same; try again',
    zhCn: '其他人正在修改相同的内容，请重试',
  },
};
