import { ACCOUNT } from './zh-cn/account.ts';
import { ASSISTANT } from './zh-cn/assistant.ts';
import { COMMON } from './zh-cn/common.ts';
import { EXCHANGE } from './zh-cn/exchange.ts';
import { FIGURES } from './zh-cn/figures.ts';
import { FILTERS } from './zh-cn/filters.ts';
import { LISTS } from './zh-cn/lists.ts';
import { RECORD } from './zh-cn/record.ts';
import { RECORDS } from './zh-cn/records.ts';
import { SHAPES } from './zh-cn/shapes.ts';
import { WORK } from './zh-cn/work.ts';

/** English texts, which are the keys of both languages, in Chinese. */
export const ZH_CN = {
  ...ACCOUNT,
  ...ASSISTANT,
  ...COMMON,
  ...EXCHANGE,
  ...FIGURES,
  ...FILTERS,
  ...LISTS,
  ...RECORD,
  ...RECORDS,
  ...SHAPES,
  ...WORK,
};
