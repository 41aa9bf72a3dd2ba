import { localized, localizedName, Text, type StoredMessage } from '../i18n/text.ts';
import { ApplicationError, type ErrorData } from './application-error.ts';
import type { ErrorCode } from './catalogue.ts';

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
  const toStored = (message: StoredMessage | Text) => Text.from(message).toStored();
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
  return { code, message: localized(message), data: mapMessages(data, (one) => Text.from(one)) };
}

interface Messages {
  readonly fieldErrors?: Readonly<Record<string, StoredMessage>>;
  readonly conflicts?: readonly { readonly message?: StoredMessage }[];
  readonly resources?: readonly { readonly message?: StoredMessage }[];
  readonly references?: readonly { readonly name?: string | Text }[];
}

/** Changes what an error's data says: of fields, conflicts, resources and references. */
export function mapMessages(
  data: ErrorData | null,
  change: (message: StoredMessage | Text) => unknown,
): ErrorData | null {
  const { fieldErrors, conflicts, resources, references } = (data ?? {}) as Messages;
  const inName = ({ name, ...rest }: { readonly name?: string | Text }) => ({
    ...rest,
    name: name instanceof Text ? change(name) : name && localizedName(name),
  });
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
      ...(references && { references: references.map(inName) }),
    }
  );
}
