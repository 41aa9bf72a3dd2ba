import type { TextTable } from '../../foundation/i18n/text-table.ts';

export const HEALTH_TEXTS: TextTable = {
  'health.postponed': {
    en: '{count} events cannot be matched and wait for another try',
    zhCn: '{count} 个事件无法匹配，等待重试',
  },
};
