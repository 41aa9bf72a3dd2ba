import type { TextTable } from '../../foundation/i18n/text-table.ts';

export const DESIGNER_TEXTS: TextTable = {
  'said.no_such_resource': { en: 'There is no such resource', zhCn: '资源不存在' },
};
