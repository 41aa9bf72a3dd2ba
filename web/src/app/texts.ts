import { loadPart } from './load-part.ts';
import { language } from './preferences.ts';
import { GROUPS, type GroupTextKey, type TextGroup } from './texts/groups.ts';
import type { ZH_CN } from './texts/zh-cn.ts';

/** English texts are their own keys: one that the Chinese bundles lack is an error of types. */
export type TextKey = keyof typeof ZH_CN | GroupTextKey;
export type TextValues = Readonly<Record<string, string | number>>;

let translated: Readonly<Record<string, string>> = {};

/** Before anything is shown. */
export async function loadTexts(): Promise<void> {
  if (language === 'zh-CN') translated = (await loadPart(() => import('./texts/zh-cn.ts'))).ZH_CN;
}

/** Before a screen of the group is shown. */
export async function loadGroup(group: TextGroup): Promise<void> {
  if (language !== 'zh-CN') return;
  const texts = await GROUPS[group]();
  // Only now: another group may have come meanwhile.
  translated = { ...translated, ...texts };
}

/** A text in the language of the page, with `{names}` filled in. */
export function t(text: TextKey, values: TextValues = {}): string {
  const template: string = translated[text] ?? text;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const rules = new Intl.PluralRules(language);

/** `{count}` of something, in the form that the number needs. */
export function plural(count: number, one: TextKey, other: TextKey, values: TextValues = {}): string {
  const shown = new Intl.NumberFormat(language).format(count);
  return t(rules.select(count) === 'one' ? one : other, { ...values, count: shown });
}
