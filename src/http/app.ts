import express, { type Express, type RequestHandler, type Router } from 'express';
import { ApplicationError, notFound } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';
import { traceIdFrom, withTrace } from '../logging/trace.ts';
import { declares, PUBLIC } from './access.ts';
import { errorHandler } from './error-handler.ts';

/** The Express application: trace and access log around every request, the features' routes, envelopes for the rest. */
export function createApp(routers: readonly Router[], trustProxy: readonly string[], logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  if (trustProxy.length > 0) app.set('trust proxy', trustProxy);
  app.use(traced(logger));
  for (const router of routers) app.use(router);
  app.use(() => {
    throw notFound('There is nothing at this path');
  });
  app.use(errorHandler(logger));
  return app;
}

/** Gives the request its trace id (`X-Trace-Id` of every answer) and writes one access-log line when it ends. */
function traced(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const traceId = traceIdFrom(request.get('traceparent'));
    const startedAt = performance.now();
    response.setHeader('X-Trace-Id', traceId);
    response.once('close', () => {
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const line = { traceId, method: request.method, path: request.path, status: response.statusCode, durationMs };
      logger.info(response.writableFinished ? line : { ...line, aborted: true }, 'request');
    });
    withTrace(traceId, next);
  };
}

/** For a path that exists with other methods: 405 with `Allow`, instead of a 404 that hides a typo. */
export function onlyMethods(...allowed: string[]): RequestHandler {
  return declares([PUBLIC], (_request, response) => {
    response.set('Allow', allowed.join(', '));
    throw new ApplicationError('METHOD_NOT_ALLOWED');
  });
}
