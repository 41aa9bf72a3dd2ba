import type { Request } from 'express';
import type { Language, Languages } from '../i18n/languages.ts';

/** The language that this answer is in, by `Accept-Language`; says so in the answer's headers. */
export function languageOf(request: Request): Language {
  const languages = request.app.locals.languages as Languages;
  const language = languages.languageFor(request.acceptsLanguages(), request.get('X-Environment'));
  request.res?.vary('Accept-Language').set('Content-Language', language.locale);
  return language;
}
