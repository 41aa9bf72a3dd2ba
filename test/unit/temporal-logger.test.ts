import { ApplicationFailure } from '@temporalio/common';
import pino from 'pino';
import { validationError } from '../../src/foundation/errors/application-error.ts';
import { toApplicationFailure } from '../../src/foundation/errors/temporal-failure.ts';
import { temporalLogger } from '../../src/foundation/logging/temporal-logger.ts';

/** The lines that Temporal's messages become at a level of the log. */
function linesOf(level: string, write: (logger: ReturnType<typeof temporalLogger>) => void) {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  write(temporalLogger(pino({ level, base: null, timestamp: false }, stream)));
  return lines;
}

describe("Temporal's log", () => {
  const refusal = toApplicationFailure(validationError({ name: 'is required' }));
  const failed = { error: refusal, workflowId: 'command:1', activityType: 'applyCommand', attempt: 1, taskQueue: 'q' };
  const ofWorkflow = { error: new Error('There is no such record'), workflowId: 'command:1' };
  const refused = (logger: ReturnType<typeof temporalLogger>) => {
    logger.warn('Activity failed', failed);
    logger.warn('Workflow failed', ofWorkflow);
  };

  it('has one short line for a refused input, at debug', () => {
    expect(linesOf('info', refused)).toEqual([]);
    expect(linesOf('debug', refused)).toEqual([
      {
        level: 20,
        code: 'VALIDATION_ERROR',
        workflowId: 'command:1',
        activityType: 'applyCommand',
        source: 'temporal',
        msg: 'refused',
      },
    ]);
  });

  it.each([
    ['of the program', ApplicationFailure.nonRetryable('broken', 'INTERNAL_ERROR')],
    ['that passes', ApplicationFailure.retryable('a passing fault', 'SERVICE_UNAVAILABLE')],
    ['that is unknown', new Error('what is this')],
  ])('warns of a failure %s', (_, error) => {
    expect(linesOf('warn', (logger) => logger.warn('Activity failed', { error }))).toMatchObject([{ level: 40 }]);
  });

  it('warns of a workflow whose activity had no end', () => {
    const error = new Error('Activity task timed out');
    expect(linesOf('warn', (logger) => logger.warn('Workflow failed', { error }))).toMatchObject([{ level: 40 }]);
  });
});
