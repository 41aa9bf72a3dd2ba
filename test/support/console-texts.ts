import { GROUPS, type GroupTextKey } from '../../web/src/app/texts/groups.ts';
import { ZH_CN } from '../../web/src/app/texts/zh-cn.ts';

export type ConsoleText = keyof typeof ZH_CN | GroupTextKey;
type Values = Readonly<Record<string, string | number>>;
/** A text of the console in a reader's language. */
export type Translate = (text: ConsoleText, values?: Values) => string;

const groups = await Promise.all(Object.values(GROUPS).map((load) => load()));
const translated: Readonly<Record<string, string>> = Object.assign({}, ZH_CN, ...groups);

export const inEnglish: Translate = filled;
export const inChinese: Translate = (text, values) => filled(translated[text] ?? text, values);

function filled(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
