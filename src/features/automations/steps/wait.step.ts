import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { Type, type Static } from 'typebox';
import { startOfDay } from '../../../foundation/time/time-zones.ts';
import { isCalendarDate, parseIsoDatetime } from '../../../foundation/validation/iso-datetime.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { problemOfFit, WANTED } from '../../../platform/metadata/models/value-fit.ts';
import type { StepExpressions } from './step-expressions.ts';
import type { ControlStepKind } from './step-kind.ts';
import { controlSchema } from './step-schema.ts';
import { MAX_WAIT_SECONDS } from '../automations.limits.ts';
import { secondsAfter } from './wait-timeout.ts';

const schema = controlSchema('wait', {
  seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: MAX_WAIT_SECONDS })),
  /** An ISO 8601 time. */
  until: Type.Optional(EXPRESSION),
});

/** Waits for some seconds, or until a time. */
export const waitStep: ControlStepKind<Static<typeof schema>> = {
  schema,
  problemOf: ({ seconds, until }) =>
    (seconds === undefined) === (until === undefined) ? 'needs one of seconds and until' : null,

  problemsAmong({ until }, _after, check): FieldErrors {
    const problem = until === undefined ? null : problemOfFit(WANTED.moment, until, check);
    return problem && problemOfFit(WANTED.day, until as string, check) ? { until: problem } : {};
  },

  outputType: () => ({ fields: { until: 'text' } }),

  outputOrigin: ({ until }, originOf) => (until === undefined ? {} : originOf(until)),

  begin: ({ seconds = 0, until }, { expressions, now }) => ({
    status: 'WAITING',
    dueAt: until === undefined ? secondsAfter(now, seconds) : timeOf(until, expressions),
  }),

  expire: (_step, { dueAt }) => ({ status: 'SUCCEEDED', output: { until: dueAt } }),
};

function timeOf(until: string, expressions: StepExpressions): string {
  const value = expressions.evaluate(until, 'until');
  const isDay = typeof value === 'string' && isCalendarDate(value);
  if (isDay) return startOfDay(value, expressions.timeZone).toISOString();
  const time = typeof value === 'string' ? parseIsoDatetime(value) : null;
  if (!time) throw expressions.problem('until', 'is not an ISO 8601 time');
  return time.toISOString();
}
