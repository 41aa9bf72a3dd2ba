import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const ENVIRONMENTS_TEXTS = {
  'validation.required_environment': { en: 'is required: dev, staging or prod', zhCn: '必填：dev、staging 或 prod' },
  'validation.format_version': { en: 'must be 1', zhCn: '必须是 1' },
  'datasource.no_secret': { en: '{environment} has no secret {name}', zhCn: '{environment} 没有密钥 {name}' },
  'promotion.second_person': { en: 'waiting for a second person', zhCn: '正在等待另一人同意' },
  'snapshot.checksum': { en: 'does not fit the resources', zhCn: '与资源不符' },
  'snapshot.ulid': { en: 'must be a ULID', zhCn: '必须是 ULID' },
  'snapshot.repeats': { en: 'repeats the {key}', zhCn: '与前面的 {key} 重复' },
  'environment.secret_name': {
    en: 'must be upper-case letters, digits and _, at most 64, a letter first',
    zhCn: '必须由大写字母、数字和 _ 组成，以字母开头，最多 64 个字符',
  },
  'fields.not_removed': { en: 'is no removed field of this model', zhCn: '不是该模型已删除的字段' },
  'fields.other_count': { en: 'has {values} values, not {given}', zhCn: '有 {values} 个值，而不是 {given} 个' },
  'reset.other_count': { en: 'is {count} by now, not {given}', zhCn: '现在是 {count}，而不是 {given}' },
  'reset.only_dev': { en: 'Only the records of dev can be emptied', zhCn: '只能清空 dev 的记录' },
  'fields.used': { en: '{count} name these fields: {uses}', zhCn: '{count} 处使用了这些字段：{uses}' },
  'fields.builds': {
    en: 'Indexes or constraints of the table are still to be built: see /api/meta/builds',
    zhCn: '该表还有索引或约束未建完：见 /api/meta/builds',
  },
  'environment.no_secret': { en: 'There is no such secret', zhCn: '密钥不存在' },
  'environment.secret_needed': { en: 'Resources of the environment need it', zhCn: '该环境的资源需要它' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof ENVIRONMENTS_TEXTS> {}
}
