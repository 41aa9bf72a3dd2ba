export const LANGUAGES = { en: 'English', 'zh-CN': '中文' } as const;
export type Language = keyof typeof LANGUAGES;
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const LANGUAGE_KEY = 'keelson:language';
const THEME_KEY = 'keelson:theme';
const ZONE_KEY = 'keelson:time-zone';

/** The language of this page: that which was chosen, or the first of the browser's that is shipped. */
export const language: Language = languageOf(localStorage.getItem(LANGUAGE_KEY), ...navigator.languages);

/** Of dates and numbers: the reader's variety of the language of the page, such as `en-GB`. */
export const formatLocale: string =
  navigator.languages.find((tag) => tag.split('-')[0] === language.split('-')[0]) ?? language;

/** The zone that was chosen; null: that of the tenant, or of the device. */
export const chosenTimeZone: string | null = knownZone(localStorage.getItem(ZONE_KEY));
const deviceTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let tenantTimeZone: string | null = null;

/** In which moments are shown and typed. */
export function timeZone(): string {
  return chosenTimeZone ?? ownTimeZone().zone;
}

/** Where none was chosen: that of the tenant, if it has one. */
export function ownTimeZone(): { readonly zone: string; readonly isOfTenant: boolean } {
  return { zone: tenantTimeZone ?? deviceTimeZone, isOfTenant: tenantTimeZone !== null };
}

/** @param zone UTC is that of a tenant without a zone of its own */
export function followTenant(zone: string): void {
  tenantTimeZone = zone === 'UTC' ? null : knownZone(zone);
}

/** A format for moments, in the zone in which they are shown. */
export function momentFormat(locale: string, options: Intl.DateTimeFormatOptions): (time: number) => string {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (time) => {
    const zone = timeZone();
    const format = formats.get(zone) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    formats.set(zone, format);
    return format.format(time);
  };
}

/** A zone that this browser does not know is none. */
function knownZone(zone: string | null): string | null {
  return zone !== null && Intl.supportedValuesOf('timeZone').includes(zone) ? zone : null;
}

/** Everything on the screen is written anew. */
export function chooseTimeZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(ZONE_KEY);
  else localStorage.setItem(ZONE_KEY, zone);
  location.reload();
}

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
