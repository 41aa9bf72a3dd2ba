import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const HEALTH_TEXTS = {
  'health.postponed': {
    en: '{count} events cannot be matched and wait for another try',
    zhCn: '{count} 个事件无法匹配，等待重试',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof HEALTH_TEXTS> {}
}
