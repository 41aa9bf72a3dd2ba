import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const RECORDS_TEXTS = {
  'page.no_currency': { en: '{code} is no currency', zhCn: '{code} 不是货币代码' },
  'page.other_model': { en: 'is a command of {model}', zhCn: '是 {model} 的命令' },
  'rule.overlaps_other': { en: 'overlaps another record', zhCn: '与另一条记录重叠' },
  'rule.taken_together': { en: 'is taken together with the others', zhCn: '与其他字段的组合已被占用' },
  'rule.overlap': { en: 'It overlaps another record', zhCn: '与另一条记录重叠' },
  'rule.unique_together': { en: 'Another record has these values', zhCn: '另一条记录已有这些值' },
  'rule.before_start': { en: 'is before {from}', zhCn: '早于 {from}' },
  'seed.no_tenant': { en: 'is none of the tenants', zhCn: '不是任何租户' },
  'seed.no_user': { en: 'is not a user', zhCn: '不是用户' },
  'seed.taken_pid': {
    en: 'is that of a record of another tenant: a name with a hyphen, such as cust-alice, is not',
    zhCn: '是另一租户的记录的 pid；带连字符的名称（如 cust-alice）则不会重复',
  },
  'seed.no_pid': { en: 'must be a pid', zhCn: '必须是 pid' },
  'seed.no_record': { en: 'must be a record', zhCn: '必须是一条记录' },
  'seed.repeated': { en: 'is unique, and an earlier record has {value}', zhCn: '必须唯一，而前面的记录已有 {value}' },
  'record.not_a_file': { en: 'is not a file', zhCn: '不是文件' },
  'said.no_such_record': { en: 'There is no such record', zhCn: '记录不存在' },
  'said.no_such_deleted_record': { en: 'There is no such record in the trash', zhCn: '回收站中没有该记录' },
  'said.no_such_relation': { en: 'There is no such relation', zhCn: '没有这样的关系' },
  'said.not_related': { en: 'The records are not related', zhCn: '这些记录没有关联' },
  'batch.max_items': { en: 'takes at most {max} items', zhCn: '最多 {max} 项' },
  'save.one_record': { en: 'takes one record, which is not deleted', zhCn: '只能有一条记录，且不能删除' },
  'save.many_to_many': { en: 'is many-to-many: relate records one by one', zhCn: '是多对多关系：请逐条关联记录' },
  'said.no_options': { en: 'There is no such field with options', zhCn: '没有这样带选项的字段' },
  'said.value_taken': { en: 'Another record has this value', zhCn: '另一条记录已有该值' },
  'export.too_many_of_user': {
    en: 'A user may have {max} exports under way',
    zhCn: '每位用户最多同时进行 {max} 个导出',
  },
  'export.too_many_records': {
    en: 'finds {total} records; an export has at most {max}',
    zhCn: '找到 {total} 条记录；一次导出最多 {max} 条',
  },
  'export.only_ndjson': { en: 'is for ndjson alone', zhCn: '仅适用于 ndjson' },
  'validation.no_member': { en: 'is not a member of the tenant', zhCn: '不是该租户的成员' },
  'delete.referenced': { en: '{label}: {count} refer to it', zhCn: '{label} 中有 {count} 条记录引用它' },
  'view.no_view': { en: '{code} is not a view', zhCn: '{code} 不是视图' },
  'view.too_many': { en: 'You have {max} views of your own', zhCn: '您已有 {max} 个自己的视图' },
  'delete.referenced_often': {
    en: '{label}: more than {count} refer to it',
    zhCn: '{label} 中有超过 {count} 条记录引用它',
  },
  'delete.too_many': {
    en: 'Deleting it would change more than {max} records',
    zhCn: '删除它会改动超过 {max} 条记录',
  },
  'delete.too_deep': {
    en: 'Deleting it would go on over more than {max} levels',
    zhCn: '删除它会波及超过 {max} 层',
  },
  'said.wrong_state': {
    en: 'Its {label} does not allow this now',
    zhCn: '其“{label}”当前不允许此操作',
  },
  'said.record_changed': { en: 'The record has changed meanwhile', zhCn: '记录已被修改' },
  'validation.conditions': { en: 'must be a JSON array of conditions', zhCn: '必须是条件的 JSON 数组' },
  'validation.too_long_for_index': {
    en: 'is too long for the index of its field: {max} characters',
    zhCn: '对该字段的索引来说太长：最多 {max} 个字符',
  },
  'validation.row_too_wide': {
    en: 'The record has too many values: {count} fields take more than the {max} bytes of a row',
    zhCn: '记录的值过多：{count} 个字段超过了一行的 {max} 字节',
  },
  'validation.takes_bytes': { en: 'takes {bytes} bytes', zhCn: '占用 {bytes} 字节' },
  'validation.cannot_be_stored': { en: 'holds a value that cannot be stored', zhCn: '包含无法存储的值' },
  'validation.no_order': { en: 'is a {type} field, which has no order', zhCn: '是 {type} 字段，没有顺序' },
  'validation.set_by_platform': { en: 'is set by the platform', zhCn: '由平台设置' },
  'row_rule.field': {
    en: 'is not what the row rule "{label}" asks for',
    zhCn: '不符合行规则“{label}”的要求',
  },
  'row_rule.hidden': {
    en: 'The row rule "{label}" would hide the record from you',
    zhCn: '行规则“{label}”会对您隐藏该记录',
  },
  'row_rule.variable': {
    en: 'must not name {variable}: known are {known}',
    zhCn: '不能使用 {variable}：已知的有 {known}',
  },
  'validation.not_a_record': { en: 'is not a record of {model}', zhCn: '不是 {model} 的记录' },
  'variable.offset': {
    en: '{variable} needs an offset such as -7d: a whole number and s, m, h, d, w, mo or y',
    zhCn: '{variable} 需要 -7d 这样的偏移：整数加 s、m、h、d、w、mo 或 y',
  },
  'variable.range': {
    en: '{variable} is beyond the years that can be stored',
    zhCn: '{variable} 超出可存储的年份',
  },
  'query.joins': {
    en: 'needs one relation too many: a query follows {max}',
    zhCn: '关系过多：一次查询最多使用 {max} 个关系',
  },
  'query.not_its_relation': { en: '{path} is not a relation of {model}', zhCn: '{path} 不是 {model} 的关系' },
  'query.many_twice': { en: '{path} leads to many records twice', zhCn: '{path} 两次通向多条记录' },
  'query.max_paths': { en: 'takes at most {max} paths', zhCn: '最多 {max} 个路径' },
  'precondition.etag': {
    en: 'must be the ETag of a detail, such as "7", or *',
    zhCn: '必须是记录详情的 ETag（例如 "7"）或 *',
  },
  'precondition.other_version': { en: 'names another version than {key}', zhCn: '与 {key} 的版本不同' },
  'variable.time_zone': {
    en: '{variable} names no time zone such as Asia/Shanghai',
    zhCn: '{variable} 没有写明 Asia/Shanghai 这样的时区',
  },
  'aggregate.time_zone': {
    en: 'is not a time zone such as Asia/Shanghai',
    zhCn: '不是 Asia/Shanghai 这样的时区',
  },
  'aggregate.part': { en: 'is for a date or a datetime', zhCn: '仅用于日期或日期时间' },
  'aggregate.hour': { en: 'is for a datetime', zhCn: '仅用于日期时间' },
  'aggregate.zone_of': { en: 'is for a part of a datetime', zhCn: '仅用于日期时间的一部分' },
  'stats.max_fields': { en: 'takes at most {max} fields', zhCn: '最多 {max} 个字段' },
  'stats.no_order': {
    en: '{field} is a {type} field, which has no order',
    zhCn: '{field} 是 {type} 字段，没有顺序',
  },
  'aggregate.function': { en: 'is not for a {type} field', zhCn: '不能用于 {type} 字段' },
  'query.not_its_field': { en: '{field} is not a field of {model}', zhCn: '{field} 不是 {model} 的字段' },
  'query.no_view': { en: 'There is no such view', zhCn: '视图不存在' },
  'query.page_after_cursor': { en: 'is not for a page after a cursor', zhCn: '使用 cursor 时不能给出' },
  'query.not_an_id': { en: 'is not the id of a record', zhCn: '不是记录的 id' },
  'query.foreign_cursor': {
    en: 'is not of this list: it was changed, or belongs to another page, filter or sort',
    zhCn: '不属于此列表：已被更改，或属于其他页面、筛选或排序',
  },
  'filter.too_many': { en: 'must not hold more than {max} conditions', zhCn: '条件不能超过 {max} 个' },
  'filter.too_deep': { en: 'must not be nested deeper than {max} levels', zhCn: '嵌套不能超过 {max} 层' },
  'filter.form': {
    en: 'must hold objects with fieldName, operator and value',
    zhCn: '必须由含 fieldName、operator 和 value 的对象组成',
  },
  'filter.alone': { en: 'and, or and not stand alone', zhCn: 'and、or、not 只能单独使用' },
  'filter.parts': { en: 'and/or take an array of conditions', zhCn: 'and/or 的值是条件的数组' },
  'filter.field_name': { en: 'every condition needs a fieldName', zhCn: '每个条件都需要 fieldName' },
  'filter.operator': { en: 'its condition needs an operator', zhCn: '条件需要 operator' },
  'filter.json': {
    en: 'is {type}: only is_null and is_not_null apply',
    zhCn: '是 {type} 字段：只能使用 is_null 和 is_not_null',
  },
  'filter.unknown_operator': { en: 'has the unknown operator {operator}', zhCn: '运算符 {operator} 未知' },
  'filter.no_order': { en: 'has no order', zhCn: '没有顺序' },
  'filter.list': {
    en: 'in and not_in take an array of at most {max} values',
    zhCn: 'in 和 not_in 的值是最多 {max} 个值的数组',
  },
  'filter.between': {
    en: 'between takes an array of two values with an order',
    zhCn: 'between 的值是两个有序值的数组',
  },
  'filter.needs_text': { en: 'is {type}: {operator} needs a text', zhCn: '是 {type} 字段：{operator} 需要文本' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof RECORDS_TEXTS> {}
}
