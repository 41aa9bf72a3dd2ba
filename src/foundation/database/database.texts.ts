import type { TextTable } from '../i18n/text-table.ts';

export const DATABASE_TEXTS: TextTable = {
  'said.database_slow': { en: 'The database took too long to answer', zhCn: '数据库响应超时' },
  'said.database_busy': {
    en: 'Somebody else is changing the same; try again',
    zhCn: '其他人正在修改相同的内容，请重试',
  },
};
