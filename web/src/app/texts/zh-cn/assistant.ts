/** The assistant beside the page. */
export const ASSISTANT = {
  'Ask about the records, or have something done. Nothing is done before you agree.':
    '可以询问记录，或让助手执行操作。未经您同意不会执行任何操作。',
  'Ask the assistant': '询问助手',
  Assistant: '助手',
  'Begin a conversation': '开始新对话',
  'Close the assistant': '关闭助手',
  Conversation: '对话',
  Conversations: '对话列表',
  'Do not do it': '不执行',
  'Executed a command': '执行了操作',
  'Looked at a model': '查看了模型',
  'Looked for records': '查找了记录',
  'No conversation yet': '还没有对话',
  On: '对象：',
  'Read a record': '读取了记录',
  Send: '发送',
  Stop: '停止',
  'Too late': '已超时',
  'Working on it': '正在处理',
  'You agreed': '您已同意',
  'You declined': '您已拒绝',
};
