import type { Request } from 'express';
import type { ErrorData } from '../errors/application-error.ts';
import type { Language, Languages } from '../i18n/languages.ts';

/** The language that this answer is in, by `Accept-Language`; says so in the answer's headers. */
export function languageOf(request: Request): Language {
  const languages = request.app.locals.languages as Languages;
  const language = languages.languageFor(request.acceptsLanguages(), request.get('X-Environment'));
  request.res?.vary('Accept-Language').set('Content-Language', language.locale);
  return language;
}

/** A failure's message and field errors in a language. */
export function inLanguage<F extends { readonly message: string; readonly data: ErrorData | null }>(
  failure: F,
  { say }: Language,
): F {
  const fieldErrors = failure.data?.fieldErrors as Record<string, string> | undefined;
  if (!fieldErrors) return { ...failure, message: say(failure.message) };
  const said = Object.fromEntries(Object.entries(fieldErrors).map(([field, problem]) => [field, say(problem)]));
  return { ...failure, message: say(failure.message), data: { ...failure.data, fieldErrors: said } };
}
