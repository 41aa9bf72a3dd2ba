import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { quoted, text, type Text } from '../../../foundation/i18n/text.ts';

/** Of the problems that a reason names, in characters: people read the first few. */
const MAX_LENGTH = 2_000;

/**
 * A request's outcome that must be written although the request fails: thrown after the transaction has
 * committed.
 */
export class RecordedError {
  readonly error: ApplicationError;

  constructor(error: ApplicationError) {
    this.error = error;
  }
}

/** Why an apply failed, for people: the message, and what is wrong where. */
export function reasonOf({ text: message, data }: ApplicationError): Text {
  let room = MAX_LENGTH - String(message).length;
  const problems = Object.entries((data?.fieldErrors ?? {}) as FieldErrors)
    .map(([path, problem]) => text('{place} {problem}', { place: path, problem }))
    .filter((problem) => (room -= String(problem).length) > 0);
  return text('{problems}', { problems: [message, ...problems] });
}

/** What Postgres or a bug threw in the middle of an apply, without data of records in it. */
export function toApplyError(thrown: unknown): ApplicationError {
  if (thrown instanceof ApplicationError) return thrown;
  const { message = 'unknown', code } = (thrown ?? {}) as { message?: string; code?: string };
  const problem = message.split('\n')[0]?.slice(0, 500) ?? '';
  return new ApplicationError('CONFLICT', {
    message: text('The changes could not be applied: {problem}', { problem: quoted(problem) }),
    data: { reason: 'APPLY_FAILED', sqlState: code ?? null },
    cause: thrown,
  });
}
