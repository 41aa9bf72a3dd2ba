import type { TextTable } from '../i18n/text-table.ts';
import { ERROR_CATALOGUE } from './catalogue.ts';

export const ERRORS_TEXTS: TextTable = {
  ...Object.fromEntries(Object.values(ERROR_CATALOGUE).map(({ message, text }) => [message, text])),
  'said.unavailable': { en: '{dependency} is unavailable', zhCn: '{dependency} 不可用' },
  'account.tenant_suspended': { en: 'The tenant is suspended', zhCn: '租户已停用' },
};
