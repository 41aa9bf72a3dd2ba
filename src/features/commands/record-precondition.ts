import { ApplicationError, validationError } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { CommandRequest } from './command-request.ts';

const ETAG = /^"(\d{1,9})"$/;

/**
 * The body of a request whose header `If-Match` says from which version of the record it starts: the ETag of
 * its detail. `*` names none.
 * @throws VALIDATION_ERROR
 */
export function withIfMatch(
  header: string | undefined,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const given = header?.trim();
  if (given === undefined || given === '*') return body;
  const version = ETAG.exec(given)?.[1];
  if (version === undefined) throw validationError({ 'If-Match': 'must be the ETag of a detail, such as "7", or *' });
  const expectedVersion = Number(version);
  if (typeof body.expectedVersion === 'number' && body.expectedVersion !== expectedVersion) {
    throw validationError({ 'If-Match': text('names another version than {key}', { key: 'expectedVersion' }) });
  }
  return { ...body, expectedVersion };
}

/** @throws PRECONDITION_REQUIRED where the model demands to know from which version a change starts */
export function requireVersion({ requiresVersion }: Model, { operation, expectedVersion }: CommandRequest): void {
  const changes = operation === 'UPDATE' || operation === 'DELETE';
  if (requiresVersion && changes && expectedVersion === null) throw new ApplicationError('PRECONDITION_REQUIRED');
}

/** What a stale `If-Match` is answered with; any other failure as it is. */
export function asPreconditionFailed(error: unknown): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'CONFLICT' || error.data?.reason !== 'VERSION')
    return error;
  const { reason: _reason, ...data } = error.data;
  const failed = new ApplicationError('PRECONDITION_FAILED', { message: error.text, data, cause: error });
  Object.assign(failed.headers, error.headers);
  return failed;
}
