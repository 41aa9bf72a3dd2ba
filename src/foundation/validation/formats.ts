import { Type, type TString } from 'typebox';
import { parseIsoDatetime } from './iso-datetime.ts';
import type { Message } from '../i18n/text.ts';

/** The problem of a text; null if none. */
export type ProblemOf = (text: string) => Message | null;

const formats = new Map<string, ProblemOf>([['storable', problemOfStorable]]);

/**
 * A text of one kind. The schema names the kind as its `format`, so that the OpenAPI document has it; what is
 * wrong with a text that is not of it, `problemOf` says. It stands next to the schemas of the feature that
 * knows the kind.
 */
export function textOf<R extends object>(format: string, problemOf: ProblemOf, rest?: R) {
  formats.set(format, problemOf);
  return Type.String({ format, ...rest }) as TString & R;
}

/** All kinds, by the name of their format. */
export function knownFormats(): ReadonlyMap<string, ProblemOf> {
  return formats;
}

/**
 * Postgres gives the text back as it was, which it does not with NUL (it refuses it) or half a surrogate
 * pair.
 */
export function problemOfStorable(text: string): Message | null {
  return text.includes('\0') || !text.isWellFormed() ? 'must not contain NUL or ill-formed Unicode' : null;
}

function problemOfWritten(text: string): Message | null {
  return text.trim() === '' ? 'must be a text that is not empty' : problemOfStorable(text);
}

/**
 * What breaks a line or turns the direction of the text around it: a mail or a log would show something else.
 */
const UNSAFE_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

function problemOfName(text: string): Message | null {
  if (UNSAFE_IN_NAMES.test(text)) return 'must be a text without control or direction characters';
  return problemOfWritten(text);
}

function problemOfMoment(text: string): Message | null {
  return parseIsoDatetime(text) ? null : 'must be a date or an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z';
}

/** A text that can be stored, or looked for. */
export function storable<R extends object>(rest?: R) {
  return textOf('storable', problemOfStorable, rest);
}

/** A text that people read: more than white space. */
export function writtenUpTo(maxLength: number) {
  return textOf('written', problemOfWritten, { minLength: 1, maxLength });
}

/** A name that people read, on one line. */
export function nameUpTo(maxLength: number) {
  return textOf('name', problemOfName, { minLength: 1, maxLength });
}

/** A time as requests give it: a date will do, too. */
export const ISO_DATETIME = textOf('iso-8601', problemOfMoment, { maxLength: 200 });

/** A `MOMENT` that has been found good; undefined where none is given. */
export function dateOf(moment: string | null | undefined): Date | undefined {
  return moment === undefined || moment === null ? undefined : new Date(moment);
}
