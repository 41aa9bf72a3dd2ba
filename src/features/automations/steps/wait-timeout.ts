import { Type } from 'typebox';
import { conflict } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import type { StepStart, StepTransition } from './step-kind.ts';
import { FAIL_OR_CONTINUE } from './step-schema.ts';
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from '../automations.limits.ts';

/** The keys of a step that waits for an event or a person. */
export const WAIT_TIMEOUT = {
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_SECONDS })),
  onTimeout: Type.Optional(FAIL_OR_CONTINUE),
};

/** When the step stops waiting. */
export function timeoutAt(
  { timeoutSeconds = DEFAULT_WAIT_SECONDS }: { timeoutSeconds?: number },
  { now }: StepStart,
): string {
  return secondsAfter(now, timeoutSeconds);
}

export function timedOut({ onTimeout }: { onTimeout?: 'fail' | 'continue' }): StepTransition {
  if (onTimeout === 'continue') return { status: 'SUCCEEDED', output: { timedOut: true } };
  return { status: 'FAILED', error: toStoredError(conflict('TIMEOUT', 'Nobody answered in time')) };
}

export function secondsAfter(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1_000).toISOString();
}
