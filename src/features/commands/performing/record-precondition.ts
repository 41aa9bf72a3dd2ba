import { ApplicationError, validationError } from '../../../foundation/errors/application-error.ts';
import { requireVersion } from '../../records/required-version.ts';
import { text } from '../../../foundation/i18n/text.ts';

import type { Model } from '../../../platform/metadata/models/model.ts';
import type { CommandRequest } from '../command-request.ts';

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

/** @throws PRECONDITION_REQUIRED if the model requires the version that a change starts from */
export function requireExpectedVersion(
  model: Model,
  { operation, expectedVersion }: Pick<CommandRequest, 'operation' | 'expectedVersion'>,
): void {
  if (operation === 'UPDATE' || operation === 'DELETE') requireVersion(model, expectedVersion);
}

/** PRECONDITION_FAILED for a stale `If-Match`; any other failure unchanged. */
export function asPreconditionFailed(error: unknown): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'CONFLICT') return error;
  const { reason, ...data } = error.data ?? {};
  // The header is about the record, and not about related ones.
  if (reason !== 'VERSION' || data.path !== undefined) return error;
  const failed = new ApplicationError('PRECONDITION_FAILED', { message: error.text, data, cause: error });
  Object.assign(failed.headers, error.headers);
  return failed;
}
