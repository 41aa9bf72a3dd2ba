/**
 * Languages that the program ships: column of the tables of texts -> BCP 47. To ship another, name it here.
 */
export const SHIPPED_LOCALES = { en: 'en', zhCn: 'zh-CN' } as const;

/**
 * The texts of one room: key -> the text in each language. Code has the English one, which leads to the
 * others. The keys are public: I18N resources replace texts by them.
 */
export type TextTable = Readonly<Record<string, Readonly<Record<keyof typeof SHIPPED_LOCALES, string>>>>;

/** Key -> English text of all tables. */
export function englishTexts(tables: readonly TextTable[]): Map<string, string> {
  return new Map(tables.flatMap((table) => Object.entries(table).map(([key, { en }]) => [key, en] as const)));
}

/** The English texts of a table: the templates that code may use. */
export type TemplatesOf<Table extends TextTable> = { readonly [Text in Table[keyof Table] as Text['en']]: unknown };
