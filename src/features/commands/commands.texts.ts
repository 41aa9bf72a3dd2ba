import type { TextTable } from '../../foundation/i18n/text-table.ts';

export const COMMANDS_TEXTS: TextTable = {
  'execution.begun': { en: 'The execution has begun or ended', zhCn: '该执行已开始或已结束' },
  'execution.not_failed': { en: 'Only what failed can be repeated', zhCn: '只有失败的执行才能重试' },
  'execution.forgotten': { en: 'Its payload has been forgotten', zhCn: '其载荷已被清除' },
  'transition.misplaced': {
    en: 'is for commands that only update, and for CUSTOM commands with a target',
    zhCn: '仅适用于只做更新的命令和带目标记录的 CUSTOM 命令',
  },
  'transition.type': { en: 'is not of type {type}', zhCn: '不是 {type} 类型' },
  'transition.not_allowed': {
    en: 'the field does not change from {from} to {to}',
    zhCn: '该字段不能从 {from} 变为 {to}',
  },
  'transition.set': { en: 'is set by the command', zhCn: '由命令设置' },
  'said.not_in_trash': {
    en: 'The record is not in the trash: delete it first',
    zhCn: '记录不在回收站中：请先删除',
  },
  'said.overloaded': { en: 'Too many commands are waiting; try again', zhCn: '等待执行的命令过多，请稍后重试' },
  'said.no_such_execution': { en: 'There is no such execution', zhCn: '执行不存在' },
  'said.key_used': { en: 'The key was used for another request', zhCn: '该键已用于另一个请求' },
  'said.still_running': {
    en: 'The first request with this key is still running',
    zhCn: '使用该键的第一个请求仍在执行',
  },
  'said.cancelled': { en: 'The execution was cancelled', zhCn: '执行已取消' },
  'said.cancelled_early': { en: 'The execution was cancelled before it ran', zhCn: '执行在开始前已取消' },
  'said.endless': { en: 'It was begun {count} times without an end', zhCn: '已开始 {count} 次但从未结束' },
  'said.ended_early': { en: 'The workflow ended early', zhCn: '工作流提前结束' },
  'validation.not_of_command': { en: 'is not a field of this command', zhCn: '不是该命令的字段' },
  'validation.not_for_create': { en: 'is not for a create', zhCn: '不适用于创建' },
  'validation.not_for_delete': { en: 'is not for a delete', zhCn: '不适用于删除' },
  'validation.not_for_operation': { en: 'is not for this operation', zhCn: '不适用于此操作' },
  'validation.no_dry_run': { en: 'is not for commands of the platform', zhCn: '不适用于平台命令' },
  'validation.field_codes': { en: 'must be an object of field codes', zhCn: '必须是以字段代码为键的对象' },
  'validation.no_changes': { en: 'must hold the fields to change', zhCn: '必须包含要修改的字段' },
  'validation.operations_say_which': {
    en: 'this command does {operations}: say which',
    zhCn: '该命令支持 {operations}：请指明',
  },
  'validation.operations': { en: 'this command does {operations}', zhCn: '该命令支持 {operations}' },
  'command.accepted': { en: 'accepted', zhCn: '已接受' },
  'command.original_result': { en: 'the original result', zhCn: '首次执行的结果' },
};
