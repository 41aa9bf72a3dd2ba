import type { Logger } from './logger.ts';

type Level = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
type Meta = Record<string | symbol, unknown>;

/** Writes Temporal's log lines as the program's JSON, with INFO lowered to debug. */
export function temporalLogger(logger: Logger) {
  const write = (level: Level, message: string, meta: Meta = {}): void => {
    const target = level === 'ERROR' ? 'error' : level === 'WARN' ? 'warn' : 'debug';
    logger[target]({ ...meta, source: 'temporal' }, message);
  };
  return {
    log: write,
    trace: (message: string, meta?: Meta) => write('TRACE', message, meta),
    debug: (message: string, meta?: Meta) => write('DEBUG', message, meta),
    info: (message: string, meta?: Meta) => write('INFO', message, meta),
    warn: (message: string, meta?: Meta) => write('WARN', message, meta),
    error: (message: string, meta?: Meta) => write('ERROR', message, meta),
  };
}
