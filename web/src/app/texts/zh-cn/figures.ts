/** Dashboards and their tiles. */
export const FIGURES = {
  before: '之前',
  Figures: '数据',
  'No figures for you here': '这里没有您可看的数据',
  'Nothing to show yet': '暂无数据',
  'Only the first {count} are shown': '仅显示前 {count} 条',
  'Read the figures again': '刷新数据',
  '{from}: {first}, {to}: {last}': '{from}：{first}，{to}：{last}',
  Records: '记录数',
  Unchanged: '无变化',
  'You may not read what these figures are made of.': '您无权查看这些数据的来源。',
};
