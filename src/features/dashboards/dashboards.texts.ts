import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const DASHBOARDS_TEXTS = {
  'said.no_such_dashboard': { en: 'There is no such dashboard', zhCn: '仪表板不存在' },
  'said.no_such_tile': { en: 'There is no such tile', zhCn: '没有这样的图块' },
  'dashboard.no_dashboard': { en: '{code} is not a dashboard', zhCn: '{code} 不是仪表板' },
  'dashboard.tile_broken': {
    en: 'The tile cannot be computed: {problem}',
    zhCn: '无法计算该图块：{problem}',
  },
  'dashboard.no_column': { en: 'is no column of {code}', zhCn: '不是 {code} 的列' },
  'dashboard.not_for_kind': { en: 'is not for {kind}', zhCn: '不适用于 {kind}' },
  'dashboard.exactly': { en: 'must hold exactly {count}', zhCn: '必须恰好有 {count} 个' },
  'dashboard.page_or_source': { en: 'is not beside page', zhCn: '不能与 page 同时使用' },
  'dashboard.group_and_figure': {
    en: 'must name what is counted, and a figure',
    zhCn: '必须给出分组列和至少一个数值列',
  },
  'dashboard.line_of_time': { en: 'must be a date or a datetime', zhCn: '必须是日期或日期时间' },
  'dashboard.params': {
    en: 'names {param}, which only pages and views may',
    zhCn: '引用了 {param}，只有页面和视图可以这样做',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof DASHBOARDS_TEXTS> {}
}
