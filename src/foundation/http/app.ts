import express, { type Express, type Request, type RequestHandler, type Router } from 'express';
import { notFound, validationError } from '../errors/application-error.ts';
import type { Languages } from '../i18n/languages.ts';
import type { Logger } from '../logging/logger.ts';
import { traceIdFrom, withTrace } from '../logging/trace.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { errorHandler } from './error-handler.ts';

export interface AppOptions {
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  readonly requestDurations: RequestDurations;
  readonly languages: Languages;
}

export type RequestDurations = ReturnType<typeof measureRequests>;

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
 * Gives the request its trace id (`X-Trace-Id` of every answer); measures it and writes one access-log line
 * when it ends.
 */
function traced(durations: RequestDurations, logger: Logger): RequestHandler {
  return (request, response, next) => {
    const traceId = traceIdFrom(request.get('traceparent'));
    const startedAt = performance.now();
    response.setHeader('X-Trace-Id', traceId);
    response.once('close', () => {
      const elapsedMs = performance.now() - startedAt;
      const durationMs = Math.round(elapsedMs * 10) / 10;
      const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
      durations.observe({ method: request.method, route: routeOf(request), status }, elapsedMs / 1000);
      const line = { traceId, method: request.method, path: request.path, status: response.statusCode, durationMs };
      logger.info(response.writableFinished ? line : { ...line, aborted: true }, 'request');
    });
    withTrace(traceId, next);
  };
}

const wellFormed: RequestHandler = (request, _response, next) => {
  const { headers, httpVersion, path } = request;
  // RFC 9112, 3.2.
  if (httpVersion === '1.1' && headers.host === undefined) return next(validationError({ Host: 'is required' }));
  // Nothing has a name with NUL in it, and Postgres refuses to look for one.
  if (path.includes('%00')) return next(notFound('There is nothing at this path'));
  // Express parses it anew each time it is asked for.
  Object.defineProperty(request, 'query', { value: request.query });
  next();
};

/** The pattern that the path matched, never the path itself: those are without number. */
function routeOf({ route }: Request): string {
  return (route as { path: string } | undefined)?.path ?? 'none';
}
