import type { FieldErrors } from '../errors/application-error.ts';
import { automationCel } from '../expressions/automation-cel.ts';
import { compileCondition } from '../expressions/condition.ts';
import { isTimeZone, problemOfCron } from '../expressions/cron.ts';
import {
  blocksOf,
  isActing,
  stepsOf,
  type AutomationContent,
  type CommandCallContent,
  type StepContent,
} from './automation-content.ts';
import { problemOfReferences, secretsIn } from './secret-references.ts';
import { stepsReadBy } from './step-references.ts';

const MAX_STEPS = 200;
const MAX_DEPTH = 8;

/** What is wrong with an automation taken by itself, beyond its form: path -> problem. */
export function problemsOfAutomation(content: AutomationContent): FieldErrors {
  const problems: FieldErrors = {};
  Object.assign(problems, problemsOfTrigger(content));
  const seen = new Set<string>();
  let count = 0;
  for (const { step, path } of stepsOf(content.steps)) {
    if (seen.has(step.id)) problems[`content.${path}.id`] = 'is used by two steps';
    seen.add(step.id);
    Object.assign(problems, problemsOfStep(step, `content.${path}`));
    count += 1;
  }
  if (count > MAX_STEPS) problems['content.steps'] = `has more than ${MAX_STEPS} steps`;
  if (depthOf(content.steps) > MAX_DEPTH) problems['content.steps'] = `is nested deeper than ${MAX_DEPTH} levels`;
  checkExpressions(content.steps, 'content.steps', new Set(), problems);
  return problems;
}

function depthOf(steps: readonly StepContent[]): number {
  const inner = steps.flatMap((step) => blocksOf(step).map(([, block]) => depthOf(block)));
  return 1 + Math.max(0, ...inner);
}

function problemsOfTrigger({ trigger, input = [], runAs }: AutomationContent): FieldErrors {
  const problems: FieldErrors = {};
  const at = 'content.trigger';
  if (trigger.type === 'manual') return problems;
  for (const [code, source] of Object.entries(trigger.input ?? {})) {
    if (!input.some((field) => field.code === code)) problems[`${at}.input.${code}`] = 'is not a field of the input';
    else report(problems, `${at}.input.${code}`, source, new Set());
  }
  if (trigger.type === 'schedule') {
    const { cron, everySeconds, timezone } = trigger;
    if ((cron === undefined) === (everySeconds === undefined)) problems[at] = 'needs one of cron and everySeconds';
    const problem = cron === undefined ? null : problemOfCron(cron);
    if (problem) problems[`${at}.cron`] = problem;
    if (timezone !== undefined && !isTimeZone(timezone)) problems[`${at}.timezone`] = 'is not the name of a time zone';
    if (timezone !== undefined && cron === undefined) problems[`${at}.timezone`] = 'needs cron';
    if (runAs === undefined) problems['content.runAs'] = 'is required where a schedule starts the runs';
  } else if (trigger.filter !== undefined) {
    try {
      compileCondition(trigger.filter);
    } catch (error) {
      problems[`${at}.filter`] = (error as Error).message;
    }
  }
  return problems;
}

function problemsOfStep(step: StepContent, at: string): FieldErrors {
  if (step.type === 'wait' && (step.seconds === undefined) === (step.until === undefined)) {
    return { [at]: 'needs one of seconds and until' };
  }
  if (step.type === 'approval' && step.role === undefined && step.user === undefined) {
    return { [at]: 'needs a role or a user who may decide' };
  }
  return {};
}

/**
 * Checks the expressions of a block. @param known the ids of the steps that have run before it
 * @returns the ids known after it, those within its branches included: who was not taken is null
 */
function checkExpressions(
  steps: readonly StepContent[],
  at: string,
  known: ReadonlySet<string>,
  problems: FieldErrors,
): Set<string> {
  const ids = new Set(known);
  for (const [index, step] of steps.entries()) {
    const path = `${at}.${index}`;
    for (const [key, source] of expressionsOf(step)) {
      const isHeader = step.type === 'http' && key.startsWith('headers.');
      report(problems, `${path}.${key}`, source, ids, isHeader);
    }
    const before = new Set(ids);
    for (const [inner, block] of blocksOf(step)) {
      const after = checkExpressions(block, `${path}.${inner}`, before, problems);
      if (step.type === 'branch') for (const id of after) ids.add(id);
    }
    ids.add(step.id);
    if (isActing(step) && step.compensation) {
      for (const [key, source] of callExpressions(step.compensation)) {
        report(problems, `${path}.compensation.${key}`, source, ids);
      }
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

/** Whatever else an expression gives is kept or shown somewhere. */
function problemOfSecrets(source: string, mayNameSecrets: boolean): string | null {
  if (mayNameSecrets) return problemOfReferences(source);
  return secretsIn(source).length > 0 ? 'must not name a secret: only the headers of an http step may' : null;
}

function problemOfSteps(source: string, known: ReadonlySet<string>): string | null {
  const unknown = [...stepsReadBy(source)].find((id) => !known.has(id));
  return unknown === undefined ? null : `${unknown} is not an earlier step`;
}

type Placed = [key: string, source: string];

function expressionsOf(step: StepContent): Placed[] {
  const own: [string, string | undefined][] = [['when', step.when]];
  switch (step.type) {
    case 'command':
      own.push(...callExpressions(step));
      break;
    case 'query':
      step.filters?.forEach(({ value }, index) => own.push([`filters.${index}.value`, value]));
      break;
    case 'http':
      own.push(['url', step.url], ['body', step.body], ...mapped('headers', step.headers));
      break;
    case 'webhook':
      own.push(...mapped('payload', step.payload));
      break;
    case 'assistant':
      own.push(['prompt', step.prompt]);
      break;
    case 'condition':
      own.push(['assert', step.assert]);
      break;
    case 'branch':
      step.cases.forEach((one, index) => own.push([`cases.${index}.if`, one.if]));
      break;
    case 'forEach':
      own.push(['items', step.items]);
      break;
    case 'wait':
      own.push(['until', step.until]);
      break;
    case 'waitForEvent':
      own.push(['filter', step.filter]);
      break;
    case 'approval':
      own.push(['message', step.message], ['user', step.user]);
  }
  return own.filter((placed): placed is Placed => placed[1] !== undefined);
}

function callExpressions({ target, payload }: CommandCallContent): Placed[] {
  return [...(target === undefined ? [] : [['target', target] as Placed]), ...mapped('payload', payload)];
}

function mapped(path: string, mapping: Readonly<Record<string, string>> = {}): Placed[] {
  return Object.entries(mapping).map(([key, source]) => [`${path}.${key}`, source]);
}
