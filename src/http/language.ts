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

/** What a failure's data may hold of texts of ours. */
interface Speaking {
  readonly fieldErrors?: Readonly<Record<string, string>>;
  readonly conflicts?: readonly Told[];
  readonly resources?: readonly Told[];
}

interface Told {
  readonly message?: string;
}

/** A failure's message, its field errors, and what it tells of conflicts and resources, in a language. */
export function inLanguage<F extends { readonly message: string; readonly data: ErrorData | null }>(
  failure: F,
  { say }: Language,
): F {
  const { message, data } = failure;
  const { fieldErrors, conflicts, resources } = (data ?? {}) as Speaking;
  const saidIn = (told: readonly Told[] | undefined) =>
    told?.map((one) => (one.message === undefined ? one : { ...one, message: say(one.message) }));
  const inside = {
    ...(fieldErrors && {
      fieldErrors: Object.fromEntries(Object.entries(fieldErrors).map(([field, problem]) => [field, say(problem)])),
    }),
    ...(conflicts && { conflicts: saidIn(conflicts) }),
    ...(resources && { resources: saidIn(resources) }),
  };
  return { ...failure, message: say(message), data: data && { ...data, ...inside } };
}
