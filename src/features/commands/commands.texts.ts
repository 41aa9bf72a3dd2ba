import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const COMMANDS_TEXTS = {
  'execution.begun': { en: 'The execution has begun or ended', zhCn: '该执行已开始或已结束' },
  'execution.not_failed': { en: 'Only what failed can be repeated', zhCn: '只有失败的执行才能重试' },
  'execution.forgotten': { en: 'Its payload has been forgotten', zhCn: '其载荷已被清除' },
  'step.reserved_type': { en: 'must not begin with {start}', zhCn: '不能以 {start} 开头' },
  'step.own_type': { en: "is the type of the command's own event", zhCn: '是该命令自身事件的类型' },
  'step.type_of_command': {
    en: 'is the code of a command, and the type of its event',
    zhCn: '是某个命令的代码，即其事件的类型',
  },
  'step.of_status': { en: 'is for status {status}', zhCn: '仅适用于状态 {status}' },
  'step.measures_alone': { en: 'is not for a query with measures', zhCn: '不适用于带 measures 的查询' },
  'transition.misplaced': {
    en: 'is for commands that only update, and for CUSTOM commands with a target',
    zhCn: '仅适用于只做更新的命令和带目标记录的 CUSTOM 命令',
  },
  'transition.type': { en: 'is not of type {type}', zhCn: '不是 {type} 类型' },
  'transition.not_allowed': {
    en: 'the field does not change from {from} to {to}',
    zhCn: '该字段不能从 {from} 变为 {to}',
  },
  'fields.misplaced': {
    en: 'is for commands that do CREATE, UPDATE or UPSERT',
    zhCn: '仅适用于支持 CREATE、UPDATE 或 UPSERT 的命令',
  },
  'fields.other_operation': { en: 'is not an operation of the command', zhCn: '不是该命令的操作' },
  'fields.lack_required': {
    en: 'lacks {fields}, which every new record needs',
    zhCn: '缺少每条新记录都必需的 {fields}',
  },
  'transition.set': { en: 'is set by the command', zhCn: '由命令设置' },
  'execution.batch_repeated': {
    en: 'A batch is not repeated: repeat the items that failed',
    zhCn: '批处理不能重试：请重试失败的项',
  },
  'example.name_used': { en: 'is used by two examples', zhCn: '被两个示例使用' },
  'example.given_used': { en: 'is used by two records', zhCn: '被两条记录使用' },
  'example.given_unknown': {
    en: 'names a record that is not given before',
    zhCn: '引用了未在之前给出的记录',
  },
  'example.not_in_result': { en: 'is not in the result', zhCn: '不在结果中' },
  'example.unknown_code': { en: 'is not the code of an error', zhCn: '不是错误代码' },
  'example.alone': { en: 'stands alone', zhCn: '不能与其他期望并存' },
  'example.no_role': { en: 'There is no role {as}', zhCn: '不存在角色 {as}' },
  'example.no_time': { en: 'There was no time left for it', zhCn: '没有剩余时间执行' },
  'example.not_built': {
    en: 'The tables of its models are still to be built',
    zhCn: '其模型的数据表尚未建立',
  },
  'example.failed': {
    en: '{name}: {path} is {actual}, not {expected}',
    zhCn: '{name}：{path} 为 {actual}，而非 {expected}',
  },
  'match.misplaced': {
    en: 'belongs to commands that do UPSERT, which need it',
    zhCn: '仅适用于支持 UPSERT 的命令，且必须提供',
  },
  'match.not_unique': { en: 'is not a unique field', zhCn: '不是唯一字段' },
  'relation.misplaced': {
    en: 'is for commands without steps that create or update a record',
    zhCn: '仅适用于没有步骤且创建或更新记录的命令',
  },
  'relation.only_create': {
    en: 'is CREATE alone where the command does not update',
    zhCn: '命令不更新记录时只能是 CREATE',
  },
  'relation.is_field': { en: 'is a field of {model}', zhCn: '是 {model} 的字段' },
  'relation.other_model': { en: 'is not a relation to {model}', zhCn: '不是指向 {model} 的关系' },
  'relation.unlink_required': {
    en: 'has UNLINK, but the field is required: use DELETE',
    zhCn: '包含 UNLINK，但该字段必填：请使用 DELETE',
  },
  'relation.operations': { en: 'this relation does {operations}', zhCn: '该关系支持 {operations}' },
  'relation.too_many': {
    en: 'holds {count} related records; at most {max}',
    zhCn: '包含 {count} 条关联记录；最多 {max} 条',
  },
  'batch.undone': { en: 'Undone, because another item of the batch failed', zhCn: '已撤销：批处理的另一项失败' },
  'batch.too_long': {
    en: 'The batch takes too long for one transaction: send fewer items',
    zhCn: '批处理耗时过长，无法在一个事务内完成：请减少项数',
  },
  'batch.item_running': { en: 'It has not ended yet', zhCn: '尚未结束' },
  'batch.key_of_batch': { en: 'is the key of the batch', zhCn: '是批处理本身的键' },
  'batch.key_used_twice': { en: 'is used by two items', zhCn: '被两个项使用' },
  'batch.if_match': {
    en: 'is for one record: items have expectedVersion',
    zhCn: '仅适用于单条记录：各项请用 expectedVersion',
  },
  'batch.platform': {
    en: 'is a command of the platform, which takes no batches',
    zhCn: '是平台命令，不支持批处理',
  },
  'said.no_version_yet': { en: 'The record has no such version yet', zhCn: '记录还没有这个版本' },
  'said.version_forgotten': { en: 'What the record was then is forgotten', zhCn: '记录当时的内容已被清除' },
  'said.not_in_trash': {
    en: 'The record is not in the trash: delete it first',
    zhCn: '记录不在回收站中：请先删除',
  },
  'said.overloaded': { en: 'Too many commands are waiting; try again', zhCn: '等待执行的命令过多，请稍后重试' },
  'said.no_such_trace': { en: 'There is no such trace', zhCn: '追踪不存在' },
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
  'command.no_record': {
    en: 'reads record, but the command works on none',
    zhCn: '读取了 record，但该命令不针对任何记录',
  },
  'command.for_code': { en: 'is for {code}', zhCn: '仅适用于 {code}' },
  'validation.not_for_operation': { en: 'is not for this operation', zhCn: '不适用于此操作' },
  'validation.no_dry_run': { en: 'is not for commands of the platform', zhCn: '不适用于平台命令' },
  'validation.field_codes': { en: 'must be an object of field codes', zhCn: '必须是以字段代码为键的对象' },
  'validation.no_changes': { en: 'must hold the fields to change', zhCn: '必须包含要修改的字段' },
  'validation.operation_for_target': {
    en: '{operation} is needed for targetRecordId',
    zhCn: '使用 targetRecordId 需要 {operation}',
  },
  'validation.operations_for_target': {
    en: 'UPDATE or DELETE is needed for targetRecordId',
    zhCn: '使用 targetRecordId 需要 UPDATE 或 DELETE',
  },
  'validation.operations_say_which': {
    en: 'this command does {operations}: say which',
    zhCn: '该命令支持 {operations}：请指明',
  },
  'validation.operations': { en: 'this command does {operations}', zhCn: '该命令支持 {operations}' },
  'command.accepted': { en: 'accepted', zhCn: '已接受' },
  'command.original_result': { en: 'the original result', zhCn: '首次执行的结果' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof COMMANDS_TEXTS> {}
}
