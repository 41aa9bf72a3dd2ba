import { automationCel } from '../steps/step-expressions.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { problemOfCondition } from '../../../foundation/expressions/condition.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { problemOfCron } from '../../../foundation/expressions/cron.ts';
import { problemOfTimeZone } from '../../../foundation/time/time-zone-problem.ts';
import { isTimeZone } from '../../../foundation/time/time-zones.ts';
import { blocksOf, isActivityStep, isLoop, kindOf } from '../steps/step-kinds.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { stepsOf, type AutomationContent, type ScheduleTrigger } from './automation-content.ts';
import { expressionsOf } from './automation-expressions.ts';
import { problemOfReferences, secretsIn } from '../../../platform/metadata/content/secret-references.ts';
import { problemOfSteps } from '../../../platform/metadata/content/step-references.ts';
import { MAX_STEPS, MAX_STEP_DEPTH } from '../automations.limits.ts';

/** The problems of an automation that keeps its schema: path -> problem. References are checked elsewhere. */
export function problemsOfAutomation(content: AutomationContent): FieldErrors {
  const problems = problemsOfTrigger(content);
  const seen = new Set<string>();
  let count = 0;
  for (const { step, path } of stepsOf(content.steps)) {
    if (seen.has(step.id)) problems[`content.${path}.id`] = 'is used by two steps';
    seen.add(step.id);
    const problem = kindOf(step).problemOf?.(step);
    if (problem) problems[`content.${path}`] = problem;
    const ofRetry = problemOfRetry(step);
    if (ofRetry) problems[`content.${path}.retry.initialSeconds`] = ofRetry;
    count += 1;
  }
  if (count > MAX_STEPS) problems['content.steps'] = text('has more than {max} steps', { max: MAX_STEPS });
  if (depthOf(content.steps) > MAX_STEP_DEPTH) {
    problems['content.steps'] = text('is nested deeper than {max} levels', { max: MAX_STEP_DEPTH });
  }
  checkExpressions(content.steps, 'content.steps', new Set(), problems);
  return problems;
}

function problemOfRetry(step: AnyStep): Message | null {
  const { initialSeconds, maxSeconds } = (isActivityStep(step) && step.retry) || {};
  if (initialSeconds === undefined || maxSeconds === undefined || initialSeconds <= maxSeconds) return null;
  return text('must not be greater than {max}', { max: maxSeconds });
}

function depthOf(steps: readonly AnyStep[]): number {
  const inner = steps.flatMap((step) => blocksOf(step).map(([, block]) => depthOf(block)));
  return 1 + Math.max(0, ...inner);
}

function problemsOfTrigger({ trigger, input = [], runAs }: AutomationContent): FieldErrors {
  const problems: FieldErrors = {};
  const at = 'content.trigger';
  if (trigger.type === 'manual') return problems;
  const given = trigger.input ?? {};
  const known = input.map(({ code }) => code);
  for (const [code, source] of Object.entries(given)) {
    if (known.includes(code)) report(problems, `${at}.input.${code}`, source, new Set());
    else problems[`${at}.input.${code}`] = withSuggestion('is not a field of the input', code, known);
  }
  for (const { code, required, default: fallback } of input) {
    if (required && fallback === undefined && !Object.hasOwn(given, code)) {
      problems[`${at}.input.${code}`] = 'is required';
    }
  }
  if (trigger.type === 'schedule') {
    Object.assign(problems, problemsOfSchedule(trigger, at));
    if (runAs === undefined) problems['content.runAs'] = 'is required where a schedule starts the runs';
  } else if (trigger.filter !== undefined) {
    const problem = problemOfCondition(trigger.filter);
    if (problem) problems[`${at}.filter`] = problem;
  }
  return problems;
}

function problemsOfSchedule({ cron, everySeconds, timezone }: ScheduleTrigger, at: string): FieldErrors {
  const problems: FieldErrors = {};
  if ((cron === undefined) === (everySeconds === undefined)) problems[at] = 'needs one of cron and everySeconds';
  const problem = cron === undefined ? null : problemOfCron(cron);
  if (problem) problems[`${at}.cron`] = problem;
  if (timezone !== undefined && !isTimeZone(timezone)) problems[`${at}.timezone`] = problemOfTimeZone(timezone);
  if (timezone !== undefined && cron === undefined) problems[`${at}.timezone`] = 'needs cron';
  return problems;
}

/**
 * Checks the expressions of a block.
 * @param known the ids of the steps that have ended before it
 * @returns the ids known after it, with those of its branches: the output of a branch that was not chosen is
 * null
 */
function checkExpressions(
  steps: readonly AnyStep[],
  at: string,
  known: ReadonlySet<string>,
  problems: FieldErrors,
): Set<string> {
  const ids = new Set(known);
  for (const [index, step] of steps.entries()) {
    const path = `${at}.${index}`;
    const before = new Set(ids);
    for (const [inner, block] of blocksOf(step)) {
      const after = checkExpressions(block, `${path}.${inner}`, before, problems);
      if (!isLoop(step)) for (const id of after) ids.add(id);
    }
    ids.add(step.id);
    for (const { path: key, source, mayNameSecrets } of expressionsOf(step)) {
      // A compensation is evaluated once its step has succeeded.
      const visible = key.startsWith('compensation.') ? ids : before;
      report(problems, `${path}.${key}`, source, visible, mayNameSecrets);
    }
  }
  return ids;
}

function report(
  problems: FieldErrors,
  path: string,
  source: string,
  known: ReadonlySet<string>,
  mayNameSecrets = false,
): void {
  const problem =
    automationCel.problemOf(source) ?? problemOfSteps(source, known) ?? problemOfSecrets(source, mayNameSecrets);
  if (problem) problems[path] = problem;
}

/** The values of all other expressions are stored or shown somewhere. */
function problemOfSecrets(source: string, mayNameSecrets: boolean): Message | null {
  if (mayNameSecrets) return problemOfReferences(source);
  return secretsIn(source).length > 0 ? 'must not name a secret: only the headers of an http step may' : null;
}
