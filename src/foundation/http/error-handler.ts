import type { ErrorRequestHandler } from 'express';
import { translate } from '../database/failures.ts';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';
import { currentTraceId } from '../logging/trace.ts';
import { mapMessages } from '../errors/failure.ts';
import { languageOf } from './language.ts';
import { sendJson } from './reply.ts';

/**
 * Every failure as an envelope. A fault the catalogue does not know is logged whole and answered with its
 * trace id alone.
 */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    // Services that use the ORM throw its errors: an outage is a 503 there, too.
    const error = asApplicationError(translate(thrown));
    if (error.status >= 500) logger.error({ err: thrown }, error.message);
    response.set(error.headers);
    if (error.retryAfterSeconds !== undefined) response.set('Retry-After', String(error.retryAfterSeconds));
    const data = error.code === 'INTERNAL_ERROR' ? { traceId: currentTraceId() ?? null } : error.data;
    const language = languageOf(request);
    const message = language.translate(error.text);
    sendJson(response, error.status, { code: error.code, message, data: mapMessages(data, language.translate) });
  };
}

/** Express and its body parser describe their own errors by `type` and `status`. */
function asApplicationError(thrown: unknown): ApplicationError {
  if (thrown instanceof ApplicationError) return thrown;
  const { type, status } = (thrown ?? {}) as { type?: string; status?: number };
  if (type === 'entity.too.large') return new ApplicationError('PAYLOAD_TOO_LARGE', { cause: thrown });
  if (status === 415) return new ApplicationError('UNSUPPORTED_MEDIA_TYPE', { cause: thrown });
  if (type === 'entity.parse.failed') return validationError({ body: 'is not valid JSON' });
  if (status !== undefined && status >= 400 && status < 500) return validationError({ request: 'is malformed' });
  return new ApplicationError('INTERNAL_ERROR', { cause: thrown });
}
