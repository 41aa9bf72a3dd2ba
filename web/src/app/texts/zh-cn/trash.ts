/** What was deleted. */
export const TRASH = {
  Actions: '操作',
  'Deleted at': '删除时间',
  'The audit trail keeps it.': '将记录在审计日志中。',
  'Deleted: {page}': '已删除：{page}',
  'Restore {name}': '恢复“{name}”',
  Restore: '恢复',
  '{name} is there again.': '“{name}”已恢复。',
  'Erase {name} for good': '永久清除“{name}”',
  Erase: '永久清除',
  'Erase 1 record for good': '永久清除 1 条记录',
  '{name} is erased.': '“{name}”已永久清除。',
  'Its history goes, too, and what commands and webhooks have kept of it. It cannot be brought back.':
    '它的历史记录，以及命令和 Webhook 保留的相关内容也会一并清除，任何人都无法恢复。',
  'Nothing is deleted here': '这里没有已删除的记录',
  'No deleted record is like this': '没有符合条件的已删除记录',
  'What is deleted on this page comes here, and stays until it is erased.':
    '在此页面删除的记录会保留在这里，直到有人将其永久清除。',
};
