import type { StoredError } from '../errors/failure.ts';
import type { Language } from './languages.ts';

/** What the answer that is being written is written in. Writing is one synchronous step: there is never a second one. */
let speaking: (() => Language) | null = null;

/** A text of ours within the data of an answer: written in the caller's language, and anywhere else as it is. */
class Said {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    return speaking ? speaking().say(this.#text) : this.#text;
  }
}

export function said(text: string): Said;
export function said(text: string | null | undefined): Said | null;
export function said(text: string | null | undefined): Said | null {
  return typeof text === 'string' ? new Said(text) : null;
}

/** A stored failure within the data of an answer, with its message and field errors in the caller's language. */
export function saidFailure(error: StoredError | null) {
  if (!error) return null;
  const { code, message, data } = error;
  const fieldErrors = data?.fieldErrors as Record<string, string> | undefined;
  const inside = fieldErrors && {
    fieldErrors: Object.fromEntries(Object.entries(fieldErrors).map(([field, problem]) => [field, said(problem)])),
  };
  return { code, message: said(message), data: data && { ...data, ...inside } };
}

/** Runs the writing of an answer; `language` is asked only if there is something to say. */
export function writtenIn(language: () => Language, write: () => string): string {
  speaking = language;
  try {
    return write();
  } finally {
    speaking = null;
  }
}
