import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const AUTOMATIONS_TEXTS = {
  'said.run_terminated': { en: 'An operator terminated the run in Temporal', zhCn: '操作员在 Temporal 中终止了该运行' },
  'said.run_cancelled_there': {
    en: 'An operator cancelled the run in Temporal',
    zhCn: '操作员在 Temporal 中取消了该运行',
  },
  'validation.no_secret_here': {
    en: 'must not name a secret: only the headers of an http step may',
    zhCn: '不能引用密钥：只有 http 步骤的请求头可以',
  },
  'validation.gives_no_text': { en: 'is not a text', zhCn: '不是文本' },
  'run.none': { en: 'There is no such run', zhCn: '运行不存在' },
  'run.began_before': { en: 'the run that was begun before', zhCn: '此前已启动的运行' },
  'run.is': { en: 'The run is {status}', zhCn: '运行状态为 {status}' },
  'run.not_failed': { en: 'The run is {status}, not FAILED', zhCn: '运行状态为 {status}，而不是 FAILED' },
  'run.never_begun': { en: 'The run has never begun', zhCn: '该运行从未开始' },
  'run.cancelled': { en: 'The run was cancelled', zhCn: '运行已取消' },
  'run.refused': { en: 'The approval was refused', zhCn: '审批被拒绝' },
  'run.no_approval': { en: 'No step of the run waits for an approval', zhCn: '该运行没有等待审批的步骤' },
  'run.several_approvals': { en: 'Several steps wait for you: name one', zhCn: '有多个步骤在等您审批：请指明其中一个' },
  'run.four_eyes': {
    en: 'Another person than the one who started the run must decide',
    zhCn: '必须由启动运行以外的人决定',
  },
  'validation.approver_name': {
    en: 'user must give a pid or an e-mail, such as actor.pid: names are not unique',
    zhCn: 'user 必须给出 pid 或邮箱，例如 actor.pid：用户名并不唯一',
  },
  'validation.no_approver': {
    en: '"{user}" is not the pid or e-mail of an active user of this tenant',
    zhCn: '“{user}”不是本租户有效用户的 pid 或邮箱',
  },
  'run.not_asked': { en: 'Somebody else is asked', zhCn: '审批请求的是其他人' },
  'run.condition': { en: 'A condition does not hold', zhCn: '条件不成立' },
  'run.no_answer': { en: 'Nobody answered in time', zhCn: '无人及时答复' },
  'run.too_slow': { en: 'The step took longer than {seconds} s', zhCn: '步骤耗时超过 {seconds} 秒' },
  'run.too_large': {
    en: 'The step gave {bytes} bytes; a run keeps 1 MiB of one',
    zhCn: '步骤返回了 {bytes} 字节；运行对单个步骤最多保留 1 MiB',
  },
  'run.endpoint_answered': { en: 'The endpoint answered {status}', zhCn: '接收端应答 {status}' },
  'run.chain_cut': {
    en: 'A chain of automations that start each other was cut',
    zhCn: '相互启动的自动化链已被截断',
  },
  'run.not_an_input': { en: 'is not an input of this automation', zhCn: '不是该自动化的输入' },
  'run.not_an_input_field': { en: 'is not a field of the input', zhCn: '不是输入的字段' },
  'run.not_a_list': { en: 'is not a list', zhCn: '不是列表' },
  'run.not_a_time': { en: 'is not an ISO 8601 time', zhCn: '不是 ISO 8601 时间' },
  'run.too_many_run_items': {
    en: 'would give the run more than {max} items',
    zhCn: '会使运行超过 {max} 项',
  },
  'run.too_many_items': { en: 'has more than {max} items', zhCn: '超过 {max} 项' },
  'designer.too_many_steps': { en: 'has more than {max} steps', zhCn: '步骤超过 {max} 个' },
  'designer.cron_or_interval': { en: 'needs one of cron and everySeconds', zhCn: '需要 cron 和 everySeconds 二者之一' },
  'automation.other_model': { en: '{type} is about {model}', zhCn: '{type} 针对的是 {model}' },
  'designer.time_zone': { en: 'is not the name of a time zone', zhCn: '不是时区名称' },
  'designer.needs_cron': { en: 'needs cron', zhCn: '需要 cron' },
  'designer.run_as': { en: 'is required where a schedule starts the runs', zhCn: '由计划启动运行时必填' },
  'designer.seconds_or_until': { en: 'needs one of seconds and until', zhCn: '需要 seconds 和 until 二者之一' },
  'designer.approver': { en: 'needs a role or a user who may decide', zhCn: '需要指定可作决定的角色或用户' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof AUTOMATIONS_TEXTS> {}
}
