import { ApplicationError } from '../errors/application-error.ts';

/** A request's outcome that must be written although the request fails: thrown after the transaction has committed. */
export class Refusal {
  readonly error: ApplicationError;

  constructor(error: ApplicationError) {
    this.error = error;
  }
}

/** Why an apply failed, for people: the message, and what is wrong where. */
export function reasonOf({ message, data }: ApplicationError): string {
  const problems = Object.entries((data?.fieldErrors ?? {}) as Record<string, string>).map((problem) =>
    problem.join(' '),
  );
  return [message, ...problems].join('; ').slice(0, 2_000);
}

/** What Postgres or a bug threw in the middle of an apply, without data of records in it. */
export function failureOf(thrown: unknown): ApplicationError {
  if (thrown instanceof ApplicationError) return thrown;
  const { message = 'unknown', code } = (thrown ?? {}) as { message?: string; code?: string };
  const text = message.split('\n')[0] ?? '';
  return new ApplicationError('CONFLICT', {
    message: `The changes could not be applied: ${text.slice(0, 500)}`,
    data: { reason: 'APPLY_FAILED', sqlState: code ?? null },
    cause: thrown,
  });
}
