import type { promotions as en } from '../en/promotions.ts';

export const promotions: Readonly<Record<keyof typeof en, string>> = {
  'promotion.is_over': '发布状态为 {status}：不能再做任何操作',
  'promotion.wrong_status': '发布状态为 {status}；此操作只适用于 {states}',
  'promotion.no_request': '请求不存在',
  'promotion.consent': '部分数据将无法再访问：请按资源逐一同意',
  'promotion.stale': '发布验证之后，源或目标已有变化：请重新验证',
  'promotion.stale_secret': '发布验证之后，有密钥已被删除（{names}）：请重新验证',
  'promotion.not_applied': '更改未能应用：{problem}',
  'promotion.second_person': '正在等待另一人同意',
  'promotion.unit': '不是 {source} 或 {target} 中的 {type}',
  'promotion.version': '不是 {environment} 曾有的版本',
  'promotion.units': '必须是 1 到 {max} 个单元的数组，或用 "*" 表示全部差异',

  'conflict.out_of_reach': '{rows} 条记录将无法再访问',
  'conflict.field_has_values': '{rows} 条记录的 {field} 有值',
  'conflict.required': '{field} 必填，但有 {rows} 条记录缺少它',
  'conflict.unique': '{field} 不能重复，但有 {rows} 条记录的值相同',
  'conflict.target_newer': '目标的版本是 {target}，源的版本是 {source}',
  'conflict.same_version': '两边都是版本 {version}，但内容不同',
  'conflict.target_changed': '在要回滚的发布之后，目标已有变化',
  'conflict.version_gap': '目标将从版本 {from} 直接升到 {to}',
  'conflict.secret': '目标没有密钥 {name}',
  'conflict.duplicate': '目标中已有另一个 {code}',
  'conflict.deleted': '目标曾有该资源，后来已删除',
  'conflict.missing': '目标中没有 {code}',
  'conflict.referenced': '{type} {code} 引用了它',
  'conflict.overlap': '另一个已验证的发布也涉及它',

  'soak.failed': '应用之后的 {commands} 个命令中有 {failed} 个失败（{rate}；允许：{allowed} %）',
  'soak.down': '{parts} 连续 {looks} 次检查为 DOWN',
  'soak.not_rolled_back': '{problem}；未能回滚：{reason_problem}',

  'snapshot.checksum': '与资源不符',
  'snapshot.ulid': '必须是 ULID',
  'snapshot.repeats': '与前面的 {key} 重复',

  'environment.not_known': '未知',
  'environment.secret_name': '必须由大写字母、数字和 _ 组成，以字母开头，最多 64 个字符',
  'environment.no_secret': '密钥不存在',
  'environment.secret_needed': '该环境的资源需要它',
};
