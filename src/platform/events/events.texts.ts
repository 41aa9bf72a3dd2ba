import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const EVENTS_TEXTS = {
  'webhook.star_at_end': { en: 'may have * at its end only, as in crm:*', zhCn: '只有末尾可以是 *，例如 crm:*' },
  'webhook.event_type': {
    en: 'must be an event type such as crm:create_lead or record.updated, or the start of one followed by *',
    zhCn: '必须是事件类型，例如 crm:create_lead 或 record.updated，或以 * 结尾的前缀',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof EVENTS_TEXTS> {}
}
