import express, {
  type Express,
  type Request,
  type RequestHandler,
  type Router,
  type ErrorRequestHandler,
} from 'express';
import { notFound, validationError, ApplicationError, type FieldErrors } from '../errors/application-error.ts';
import type { Languages } from '../i18n/languages.ts';
import type { Logger } from '../logging/logger.ts';
import { HeldMemory, holding } from '../memory/held-memory.ts';
import { logContext, traceIdFrom, withLogContext, currentTraceId } from '../logging/trace.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { translate } from '../database/failures.ts';
import { mapMessages } from '../errors/failure.ts';
import { languageOf } from './language.ts';
import { sendJson } from './reply.ts';

/**
 * Every failure as an envelope. A fault the catalogue does not know is logged whole and answered with its
 * trace id alone.
 */
function errorHandler(logger: Logger): ErrorRequestHandler {
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

interface AppOptions {
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  readonly requestDurations: RequestDurations;
  readonly languages: Languages;
}

type RequestDurations = ReturnType<typeof measureRequests>;

/** Durations by route pattern, method and status class: all applications of a process share them. */
export function measureRequests(metrics: Metrics) {
  const labels = ['method', 'route', 'status'] as const;
  return metrics.histogram('http_request_duration_seconds', 'Time from a request to the end of its answer', labels);
}

/**
 * The Express application: trace and access log around every request, the features' routes, envelopes for the
 * rest.
 */
export function createApp(router: Router, options: AppOptions, logger: Logger): Express {
  const { trustProxy, requestDurations, languages } = options;
  const app = express();
  app.locals.languages = languages;
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  if (trustProxy.length > 0) app.set('trust proxy', trustProxy);
  app.use(traced(requestDurations, logger));
  app.use(wellFormed);
  app.use(router);
  app.use(() => {
    throw notFound('There is nothing at this path');
  });
  app.use(errorHandler(logger));
  return app;
}

/**
 * Gives the request its trace id (`X-Trace-Id` of every answer) and the memory that it holds; measures it and
 * writes one access-log line when it ends.
 */
function traced(durations: RequestDurations, logger: Logger): RequestHandler {
  return (request, response, next) => {
    const traceId = traceIdFrom(request.get('traceparent'));
    const startedAt = performance.now();
    response.setHeader('X-Trace-Id', traceId);
    const held = new HeldMemory();
    withLogContext({ traceId }, () => {
      // A connection closes in no request's context.
      const context = logContext();
      response.once('close', () => {
        held.end();
        const elapsedMs = performance.now() - startedAt;
        const durationMs = Math.round(elapsedMs * 10) / 10;
        const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
        durations.observe({ method: request.method, route: routeOf(request), status }, elapsedMs / 1000);
        const line = {
          ...context,
          method: request.method,
          path: request.path,
          status: response.statusCode,
          durationMs,
        };
        logger.info(response.writableFinished ? line : { ...line, aborted: true }, 'request');
      });
      holding(held, next);
    });
  };
}

const wellFormed: RequestHandler = (request, _response, next) => {
  const { headers, httpVersion, path } = request;
  // RFC 9112, 3.2.
  if (httpVersion === '1.1' && headers.host === undefined) return next(validationError({ Host: 'is required' }));
  // Nothing has a name with NUL in it, and Postgres refuses to look for one.
  if (path.includes('%00')) return next(notFound('There is nothing at this path'));
  const wrongBytes = notUtf8(request.url);
  if (wrongBytes !== null) return next(validationError(wrongBytes));
  // Express parses it anew each time it is asked for.
  Object.defineProperty(request, 'query', { value: request.query });
  next();
};

/** Names of a query string whose bytes are no UTF-8, and would be read as other ones; null if none. */
function notUtf8(url: string): FieldErrors | null {
  const query = url.indexOf('?');
  if (query === -1 || !/%[89a-f]/i.test(url)) return null;
  const errors: FieldErrors = {};
  for (const pair of url.slice(query + 1).split('&')) {
    if (pair.match(ESCAPED_BYTES)?.every(isUtf8Escaped) ?? true) continue;
    const name = pair.split('=', 1)[0] ?? '';
    errors[isUtf8Escaped(name) ? decodeURIComponent(name) : 'query'] = 'is not UTF-8';
  }
  return Object.keys(errors).length > 0 ? errors : null;
}

const ESCAPED_BYTES = /(?:%[0-9a-f]{2})+/gi;

function isUtf8Escaped(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** The pattern that the path matched, never the path itself: those are without number. */
function routeOf({ route }: Request): string {
  return (route as { path: string } | undefined)?.path ?? 'none';
}
