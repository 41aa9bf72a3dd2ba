import { ApplicationFailure } from '@temporalio/common';
import { ERROR_CATALOGUE, isErrorCode } from '../errors/catalogue.ts';
import type { Logger } from './logger.ts';

type Level = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
type Meta = Record<string | symbol, unknown>;

/** Writes Temporal's log lines as the program's JSON, with INFO lowered to debug. */
export function temporalLogger(logger: Logger) {
  const write = (level: Level, message: string, meta: Meta = {}): void => {
    const refused = level === 'WARN' ? refusalIn(meta.error) : null;
    if (refused !== null) {
      const { workflowId, activityType } = meta;
      return logger.debug({ code: refused, workflowId, activityType, source: 'temporal' }, 'refused');
    }
    // The activity has said why. A bug of a workflow's own fails its task, under another message.
    if (level === 'WARN' && message === 'Workflow failed' && !isTimeout(meta.error)) {
      return logger.trace({ workflowId: meta.workflowId, source: 'temporal' }, message);
    }
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

/** The code of an error that is the caller's, not the program's; null for any other failure. */
function refusalIn(error: unknown): string | null {
  if (!(error instanceof ApplicationFailure) || !isErrorCode(error.type)) return null;
  return ERROR_CATALOGUE[error.type].status < 500 ? error.type : null;
}

/** On their way out of the workflow's thread, errors lose their class and code: the message remains. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.includes('timed out');
}
