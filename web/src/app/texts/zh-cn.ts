import { ACCOUNT } from './zh-cn/account.ts';
import { COMMON } from './zh-cn/common.ts';
import { FILTERS } from './zh-cn/filters.ts';
import { RECORDS } from './zh-cn/records.ts';

/** English texts, which are the keys of both languages, in Chinese. */
export const ZH_CN = { ...ACCOUNT, ...COMMON, ...FILTERS, ...RECORDS };
