import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const PROMOTIONS_TEXTS = {
  'said.no_such_promotion': { en: 'There is no such promotion', zhCn: '发布不存在' },
  'said.no_such_change': { en: 'The promotion does not change this resource', zhCn: '该发布不涉及此资源' },
  'said.other_plan': {
    en: 'Another plan has been made since: look at it first',
    zhCn: '之后又生成了新的计划：请先查看',
  },
  'said.own_promotion': { en: 'Nobody approves their own promotion here', zhCn: '此处不能批准自己的发布' },
  'said.cannot_roll_back': {
    en: 'The promotion is {status}; only an APPLIED one can be rolled back',
    zhCn: '发布状态为 {status}，只有 APPLIED 状态才能回滚',
  },
  'promotion.files_changed': {
    en: 'The environment has changed since the plan was shown: look at the new plan, then apply again',
    zhCn: '计划显示之后，环境已经变化：请查看新计划，然后重新应用',
  },
  'promotion.no_manifest': {
    en: 'The application {application} has not been applied here',
    zhCn: '应用 {application} 尚未在此应用',
  },
  'validation.impossible': { en: 'is not possible here', zhCn: '此处不可用' },
  'validation.pids': { en: 'must be an array of resource pids', zhCn: '必须是资源 pid 的数组' },
  'validation.environment': { en: 'is not an environment', zhCn: '不是环境' },
  'validation.environment_id': { en: 'must be the numeric id of an environment', zhCn: '必须是环境的数字 id' },
  'validation.not_the_source': {
    en: 'must not be the source, unless each unit names an earlier version',
    zhCn: '不能是来源环境，除非每个单元都指定了较早的版本',
  },
  'promotion.is_over': {
    en: 'The promotion is {status}: nothing more can be done with it',
    zhCn: '发布状态为 {status}：不能再做任何操作',
  },
  'promotion.wrong_status': {
    en: 'The promotion is {status}; this is possible for {states}',
    zhCn: '发布状态为 {status}；此操作只适用于 {states}',
  },
  'promotion.no_request': { en: 'There is no such request', zhCn: '请求不存在' },
  'promotion.consent': {
    en: 'Data would get out of reach or out of use: consent to it per resource',
    zhCn: '部分数据将无法访问或暂时不可用：请按资源逐一同意',
  },
  'promotion.stale': {
    en: 'Source or target have changed since the promotion was validated: validate it again',
    zhCn: '发布验证之后，源或目标已有变化：请重新验证',
  },
  'promotion.stale_secret': {
    en: 'A secret has been deleted ({names}) since the promotion was validated: validate it again',
    zhCn: '发布验证之后，有密钥已被删除（{names}）：请重新验证',
  },
  'promotion.not_applied': { en: 'The changes could not be applied: {problem}', zhCn: '更改未能应用：{problem}' },
  'promotion.unit': { en: 'is not a {type} of {source} or {target}', zhCn: '不是 {source} 或 {target} 中的 {type}' },
  'promotion.version': { en: 'is not a version that {environment} has had', zhCn: '不是 {environment} 曾有的版本' },
  'promotion.units': {
    en: 'must be an array of 1 to {max} units, or "*" for every difference',
    zhCn: '必须是 1 到 {max} 个单元的数组，或用 "*" 表示全部差异',
  },
  'promotion.application': {
    en: 'has nothing that differs between {source} and {target}',
    zhCn: '在 {source} 与 {target} 之间没有任何差异',
  },
  'promotion.units_or_app': { en: 'goes without units', zhCn: '不能与 units 同时给出' },
  'conflict.other_application': {
    en: 'It belongs to the application {owner}, and these are the files of {application}',
    zhCn: '它属于应用 {owner}，而这些是应用 {application} 的文件',
  },
  'conflict.out_of_reach': { en: '{rows} records would get out of reach', zhCn: '{rows} 条记录将无法再访问' },
  'conflict.field_has_values': { en: '{field} has a value in {rows} records', zhCn: '{rows} 条记录的 {field} 有值' },
  'conflict.required': {
    en: '{field} is required, and {rows} records lack it',
    zhCn: '{field} 必填，但有 {rows} 条记录缺少它',
  },
  'conflict.unique_later': {
    en: '{field} is unique once its index has been built, after the apply',
    zhCn: '{field} 的唯一性在应用之后、索引建成时才生效',
  },
  'conflict.unique': {
    en: '{field} is unique, and {rows} records share values',
    zhCn: '{field} 不能重复，但有 {rows} 条记录的值相同',
  },
  'conflict.target_newer': {
    en: 'The target has version {target}, the source {source}',
    zhCn: '目标的版本是 {target}，源的版本是 {source}',
  },
  'conflict.same_version': {
    en: 'Both have version {version}, with different contents',
    zhCn: '两边都是版本 {version}，但内容不同',
  },
  'conflict.target_changed': {
    en: 'The target has changed since the promotion that is rolled back',
    zhCn: '在要回滚的发布之后，目标已有变化',
  },
  'conflict.version_gap': {
    en: 'The target goes from version {from} to {to}',
    zhCn: '目标将从版本 {from} 直接升到 {to}',
  },
  'conflict.reveals': {
    en: 'Its answer shows {fields} to callers who may not read it',
    zhCn: '它的回答会向无权读取的调用者显示 {fields}',
  },
  'conflict.secret': { en: 'The target has no secret {name}', zhCn: '目标没有密钥 {name}' },
  'conflict.duplicate': { en: 'The target has another {code}', zhCn: '目标中已有另一个 {code}' },
  'conflict.deleted': { en: 'The target had it and deleted it', zhCn: '目标曾有该资源，后来已删除' },
  'conflict.missing': { en: '{code} is not in the target', zhCn: '目标中没有 {code}' },
  'conflict.referenced': { en: '{type} {code} refers to it', zhCn: '{type} {code} 引用了它' },
  'conflict.overlap': { en: 'Another validated promotion touches it, too', zhCn: '另一个已验证的发布也涉及它' },
  'soak.failed': {
    en: '{failed} of {commands} commands since the apply have failed ({rate}; allowed: {allowed} %)',
    zhCn: '应用之后的 {commands} 个命令中有 {failed} 个失败（{rate}；允许：{allowed} %）',
  },
  'soak.down': { en: '{parts} DOWN for {looks} looks in a row', zhCn: '{parts} 连续 {looks} 次检查为 DOWN' },
  'soak.not_rolled_back': {
    en: '{problem}; it could not be rolled back: {reason_problem}',
    zhCn: '{problem}；未能回滚：{reason_problem}',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof PROMOTIONS_TEXTS> {}
}
