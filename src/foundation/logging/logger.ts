import { pino, type Logger as PinoLogger } from 'pino';
import type { LogLevel } from '../config/config.ts';
import { logContext } from './trace.ts';

export type Logger = PinoLogger;

/** Keys whose values are redacted, up to two levels deep in the logged object. */
const SECRET_KEYS = [
  'password',
  'currentPassword',
  'newPassword',
  'passwordHash',
  'secret',
  'jwt',
  'token',
  'refreshToken',
  'authorization',
  'apiKey',
];

/** Writes JSON lines to standard output, each with the context of its work and an ISO 8601 time. */
export function createLogger(level: LogLevel): Logger {
  return pino({
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), bindings: () => ({ pid: process.pid }) },
    redact: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
    mixin: () => ({ ...logContext() }),
  });
}
