import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const DESIGNER_TEXTS = {
  'designer.no_type': { en: 'There is no such type of resources', zhCn: '没有这种资源类型' },
  'said.no_such_build': { en: 'There is no such build', zhCn: '构建任务不存在' },
  'designer.consent': {
    en: 'A large table would be out of use: save it with consent',
    zhCn: '大表将暂时不可用：请带同意保存',
  },
  'designer.unique_later': {
    en: 'holds once its index has been built: the table is large',
    zhCn: '表较大，索引建成后才生效',
  },
  'said.no_such_resource': { en: 'There is no such resource', zhCn: '资源不存在' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof DESIGNER_TEXTS> {}
}
