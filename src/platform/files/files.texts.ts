import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const FILES_TEXTS = {
  'said.send_multipart': {
    en: 'Send Content-Type: multipart/form-data',
    zhCn: '请发送 Content-Type: multipart/form-data',
  },
  'validation.one_file': {
    en: 'must be the only part of the body, and a file',
    zhCn: '必须是请求体中唯一的部分，且为文件',
  },
  'file.missing': { en: 'There is no such file', zhCn: '没有这个文件' },
  'file.named': { en: 'A record names the file', zhCn: '有记录引用了该文件' },
  'file.busy': { en: 'Too many files are being uploaded; try again', zhCn: '正在上传的文件过多；请重试' },
  'file.interrupted': {
    en: 'The upload was interrupted; send the file again',
    zhCn: '上传已中断；请重新发送文件',
  },
  'file.too_many_loose': {
    en: 'You have {max} MB of files that no record names',
    zhCn: '您有 {max} MB 未被任何记录引用的文件',
  },
  'file.tenant_is_full': {
    en: 'The files of the tenant take up {max} MB already',
    zhCn: '租户的文件已占用 {max} MB',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof FILES_TEXTS> {}
}
