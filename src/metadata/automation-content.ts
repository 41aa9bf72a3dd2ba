import type { FieldContent, Operation } from './content.ts';

/**
 * An automation: what starts it, and the steps that a run of it takes. Every mapped value is CEL over `input`, `event`,
 * `steps.<id>`, `item`, `index`, `loops`, `run`, `actor` and `now` (see docs/automations.md).
 */
export interface AutomationContent {
  name: string;
  /** Its trigger does nothing while this is false; runs can still be started by hand. */
  enabled?: boolean;
  trigger: TriggerContent;
  /** What a run is given: by whoever starts it, or by the trigger's `input`. */
  input?: FieldContent[];
  /** The role whose rights a run has; without it, it has those of whoever caused it. */
  runAs?: string;
  steps: StepContent[];
}

/** Input field -> CEL. */
export type Mapping = Record<string, string>;

export type TriggerContent =
  | { type: 'manual' }
  /** `filter` is a condition over the event, as a webhook's `filterExpression`. */
  | { type: 'event'; eventType: string; modelCode?: string; filter?: string; input?: Mapping }
  | { type: 'command'; commandCode: string; filter?: string; input?: Mapping }
  | { type: 'schedule'; cron?: string; everySeconds?: number; timezone?: string; tenants?: string[]; input?: Mapping };

export interface RetryContent {
  maxAttempts: number;
  /** The delay before the second attempt; it grows by `factor` up to `maxSeconds`. */
  initialSeconds?: number;
  factor?: number;
  maxSeconds?: number;
}

/** What a command is asked for; `target` and the values of `payload` are CEL. */
export interface CommandCallContent {
  commandCode: string;
  operationType?: Operation;
  target?: string;
  payload?: Mapping;
}

interface StepBase {
  /** Unique in the whole automation; later expressions read what it gave as `steps.<id>`. */
  id: string;
  /** The step is left out when this is false. */
  when?: string;
  /** Whether its failure ends the run (`fail`, default). */
  onError?: 'fail' | 'continue';
}

/** A step that does something outside the run. */
interface ActingStep extends StepBase {
  retry?: RetryContent;
  /** How long one attempt may take. */
  timeoutSeconds?: number;
  /** The command that undoes it, when the run fails or is cancelled later. */
  compensation?: CommandCallContent;
}

/** As a filter condition, with a CEL expression for its value. */
export interface MappedCondition {
  fieldName: string;
  operator: string;
  value?: string;
}

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface CommandStep extends ActingStep, CommandCallContent {
  type: 'command';
}
export interface QueryStep extends ActingStep {
  type: 'query';
  modelCode: string;
  filters?: MappedCondition[];
  sortField?: string;
  sortOrder?: 'asc' | 'desc';
  limit?: number;
}
export interface HttpStep extends ActingStep {
  type: 'http';
  method?: (typeof HTTP_METHODS)[number];
  url: string;
  headers?: Mapping;
  body?: string;
}
export interface WebhookStep extends ActingStep {
  type: 'webhook';
  /** The event's type is `automation.<code>`, or `automation.<code>.<event>`. */
  event?: string;
  payload?: Mapping;
}
/** Has an assistant answer, with the rights of the run and the tools that read. */
export interface AssistantStep extends ActingStep {
  type: 'assistant';
  assistant: string;
  /** CEL that gives a text. */
  prompt: string;
}
export interface ConditionStep extends StepBase {
  type: 'condition';
  assert: string;
  /** What happens where it is false: the run ends well (`stop`, default; in a for-each, the item does), or it fails. */
  otherwise?: 'stop' | 'fail';
  message?: string;
}
export interface BranchStep extends StepBase {
  type: 'branch';
  cases: { if: string; steps: StepContent[] }[];
  else?: StepContent[];
}
export interface ForEachStep extends StepBase {
  type: 'forEach';
  items: string;
  steps: StepContent[];
  /** How many items are worked on at once (default 1). */
  concurrency?: number;
}
export interface WaitStep extends StepBase {
  type: 'wait';
  seconds?: number;
  /** CEL that gives an ISO 8601 time. */
  until?: string;
}
export interface WaitForEventStep extends StepBase {
  type: 'waitForEvent';
  eventType: string;
  modelCode?: string;
  /** CEL over `event` and whatever else the run has. */
  filter?: string;
  timeoutSeconds?: number;
  onTimeout?: 'fail' | 'continue';
}
export interface ApprovalStep extends StepBase {
  type: 'approval';
  /** CEL: what the person is asked. */
  message?: string;
  role?: string;
  /** CEL that gives the pid or the username of a user. */
  user?: string;
  /** Whoever started the run may not decide. */
  fourEyes?: boolean;
  timeoutSeconds?: number;
  onTimeout?: 'fail' | 'continue';
  onReject?: 'fail' | 'continue';
}

export type ActingStepContent = CommandStep | QueryStep | HttpStep | WebhookStep | AssistantStep;
export type StepContent =
  ActingStepContent | ConditionStep | BranchStep | ForEachStep | WaitStep | WaitForEventStep | ApprovalStep;

/** The lists of steps within a step, with where they stand in it. */
export function blocksOf(step: StepContent): [path: string, steps: readonly StepContent[]][] {
  if (step.type === 'forEach') return [['steps', step.steps]];
  if (step.type !== 'branch') return [];
  const cases = step.cases.map(({ steps }, index): [string, StepContent[]] => [`cases.${index}.steps`, steps]);
  return step.else ? [...cases, ['else', step.else]] : cases;
}

/** Whether a step does something outside the run, which takes an activity of its own. */
export function isActing(step: StepContent): step is ActingStepContent {
  return ['command', 'query', 'http', 'webhook', 'assistant'].includes(step.type);
}

/** Every step with its place, those within others too, in the order in which they are written. */
export function* stepsOf(steps: readonly StepContent[], path = 'steps'): Iterable<{ step: StepContent; path: string }> {
  for (const [index, step] of steps.entries()) {
    const at = `${path}.${index}`;
    yield { step, path: at };
    for (const [inner, block] of blocksOf(step)) yield* stepsOf(block, `${at}.${inner}`);
  }
}
