/** What operators see. */
export const OPERATE = {
  Endpoint: '端点',
  Event: '事件',
  'No webhook yet': '还没有 Webhook',
  'A webhook tells another program what happens here.': 'Webhook 会把这里发生的事告知其他程序。',
  State: '状态',
  'Switched off': '已停用',
  'Switched on': '已启用',
};
