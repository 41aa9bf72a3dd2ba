import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const CONSOLE_TEXTS = {
  'console.not_built': {
    en: 'The console has not been built: npm run build:console',
    zhCn: '控制台尚未构建：npm run build:console',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof CONSOLE_TEXTS> {}
}
