export const LANGUAGES = { en: 'English', 'zh-CN': '中文' } as const;
export type Language = keyof typeof LANGUAGES;
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const LANGUAGE_KEY = 'keelson:language';
const THEME_KEY = 'keelson:theme';

/** The language of this page: that which was chosen, or the first of the browser's that is shipped. */
export const language: Language = languageOf(localStorage.getItem(LANGUAGE_KEY), ...navigator.languages);

/** Of dates and numbers: the reader's variety of the language of the page, such as `en-GB`. */
export const formatLocale: string =
  navigator.languages.find((tag) => tag.split('-')[0] === language.split('-')[0]) ?? language;

function languageOf(...wanted: readonly (string | null)[]): Language {
  for (const tag of wanted) {
    if (tag?.startsWith('zh')) return 'zh-CN';
    if (tag?.startsWith('en')) return 'en';
  }
  return 'en';
}

/** Texts of the service are in it, too: the page starts anew. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(LANGUAGE_KEY, chosen);
  location.reload();
}

export function chosenTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(THEME_KEY)) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(THEME_KEY, theme);
  applyPreferences();
}

/** Without `data-theme` the page follows the system. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  const theme = chosenTheme();
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
  document.documentElement.lang = language;
}
