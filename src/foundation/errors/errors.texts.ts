import type { TemplatesOf, TextTable } from '../i18n/text-table.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './catalogue.ts';

type Catalogue = typeof ERROR_CATALOGUE;
type CatalogueTexts = { readonly [Code in ErrorCode as Catalogue[Code]['message']]: Catalogue[Code]['text'] };

export const ERRORS_TEXTS = {
  ...(Object.fromEntries(Object.values(ERROR_CATALOGUE).map(({ message, text }) => [message, text])) as CatalogueTexts),
  'said.unavailable': { en: '{dependency} is unavailable', zhCn: '{dependency} 不可用' },
  'said.secret_unreadable': {
    en: 'The stored secret {name} cannot be opened with SECRETS_KEY: set it again, or put back the key that sealed it',
    zhCn: '已存储的密钥 {name} 无法用 SECRETS_KEY 解开：请重新设置，或放回加密它时所用的密钥',
  },
  'account.tenant_suspended': { en: 'The tenant is suspended', zhCn: '租户已停用' },
} as const satisfies TextTable;

declare module '../i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof ERRORS_TEXTS> {}
}
