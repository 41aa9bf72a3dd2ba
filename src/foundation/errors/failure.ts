import { ApplicationFailure } from '@temporalio/common';
import { localized, Text, type Message, type StoredMessage } from '../i18n/text.ts';
import { ApplicationError, type ErrorData } from './application-error.ts';
import { isErrorCode, type ErrorCode } from './catalogue.ts';

/**
 * An error as it is stored with an execution and carried through Temporal: plain, complete, free of stack
 * traces.
 */
export interface StoredError {
  readonly code: ErrorCode;
  readonly message: StoredMessage;
  readonly data: ErrorData | null;
}

export function toStoredError({ code, text, data }: ApplicationError): StoredError {
  const toStored = (message: Message | StoredMessage) => Text.from(message).toStored();
  return { code, message: toStored(text), data: mapMessages(data, toStored) };
}

/** What an error of this code says where it may not say more. */
export function defaultMessage(code: ErrorCode): StoredMessage {
  return Text.from(new ApplicationError(code).text).toStored();
}

export function fromStoredError({ code, message, data }: StoredError): ApplicationError {
  return new ApplicationError(code, { message: Text.from(message), data: mapMessages(data, (one) => Text.from(one)) });
}

/** A stored error within the data of an answer, in the caller's language. */
export function localizedError(
  error: StoredError | null,
): { readonly code: ErrorCode; readonly message: Text; readonly data: ErrorData | null } | null {
  if (!error) return null;
  const { code, message, data } = error;
  return { code, message: localized(message), data: mapMessages(data, (one) => localized(one)) };
}

interface Messages {
  readonly fieldErrors?: Readonly<Record<string, StoredMessage>>;
  readonly conflicts?: readonly { readonly message?: StoredMessage }[];
  readonly resources?: readonly { readonly message?: StoredMessage }[];
}

/** Changes what an error's data says: of fields, conflicts and resources. */
export function mapMessages(data: ErrorData | null, change: (message: StoredMessage) => unknown): ErrorData | null {
  const { fieldErrors, conflicts, resources } = (data ?? {}) as Messages;
  const inList = (list: Messages['conflicts']) =>
    list?.map((one) => (one.message === undefined ? one : { ...one, message: change(one.message) }));
  return (
    data && {
      ...data,
      ...(fieldErrors && {
        fieldErrors: Object.fromEntries(Object.entries(fieldErrors).map(([path, problem]) => [path, change(problem)])),
      }),
      ...(conflicts && { conflicts: inList(conflicts) }),
      ...(resources && { resources: inList(resources) }),
    }
  );
}

/**
 * The Temporal form of an error: the code travels as the failure's `type`. It is final: repeating a command
 * that broke a rule would break it again. Field values of `data` stay out of the history; the execution row
 * keeps them.
 */
export function toApplicationFailure(error: ApplicationError): ApplicationFailure {
  const failure = ApplicationFailure.create({ type: error.code, message: error.message, nonRetryable: true });
  // A rule that was broken has no interesting place in the code; paths of this machine do not belong into a
  // history.
  failure.stack = '';
  return failure;
}

/**
 * The catalogue code of a failure that came back from Temporal, however deep it is wrapped; null for any
 * other.
 */
export function codeOfFailure(failure: unknown): ErrorCode | null {
  for (let current = failure; current instanceof Error; current = current.cause) {
    if (current instanceof ApplicationFailure && isErrorCode(current.type)) return current.type;
  }
  return null;
}
