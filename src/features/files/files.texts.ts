import type { TextTable } from '../../foundation/i18n/text-table.ts';

export const FILES_TEXTS: TextTable = {
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
};
