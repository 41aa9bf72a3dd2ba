import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const STREAMS_TEXTS = {
  'stream.too_many': { en: 'A user may have {max} streams open', zhCn: '每个用户最多同时打开 {max} 个流' },
  'stream.event_id': { en: 'must be the id of an event of a stream', zhCn: '必须是流中事件的 id' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof STREAMS_TEXTS> {}
}
