import { approvalStep } from './approval.step.ts';
import { assistantStep } from './assistant.step.ts';
import { branchStep } from './branch.step.ts';
import { commandStep } from './command.step.ts';
import { conditionStep } from './condition.step.ts';
import { forEachStep } from './for-each.step.ts';
import { httpStep } from './http.step.ts';
import { queryStep } from './query.step.ts';
import type { ActivityStepKind, ControlStepKind, StepKind } from './step-kind.ts';
import type { ActivityStep, AnyStep, CommandCall } from './step-schema.ts';
import { waitForEventStep } from './wait-for-event.step.ts';
import { waitStep } from './wait.step.ts';
import { webhookStep } from './webhook.step.ts';

/** Every kind of step. A new kind is a file and a line here. */
const STEP_KINDS: readonly StepKind[] = [
  commandStep,
  queryStep,
  httpStep,
  webhookStep,
  assistantStep,
  conditionStep,
  branchStep,
  forEachStep,
  waitStep,
  waitForEventStep,
  approvalStep,
];

const byType = new Map(STEP_KINDS.map((kind) => [typeOf(kind), kind]));

export const STEP_TYPES: readonly string[] = [...byType.keys()];

/** One step; blocks within steps refer to it again. */
export const STEP_SCHEMA = {
  $id: 'automation-step',
  type: 'object',
  required: ['id', 'type'],
  discriminator: { propertyName: 'type' },
  oneOf: STEP_KINDS.map(({ schema }) => schema),
};

export function kindOf({ type }: AnyStep): StepKind {
  const kind = byType.get(type);
  if (!kind) throw new Error(`${type} is not a kind of step`);
  return kind;
}

export function isActivity(kind: StepKind): kind is ActivityStepKind {
  return 'execute' in kind;
}

/** Whether a step acts outside its run, by an activity. */
export function isActivityStep(step: AnyStep): step is ActivityStep {
  return isActivity(kindOf(step));
}

/** The commands that a step calls, with their paths in it: its own, and the one that undoes it. */
export function commandCallsOf(step: AnyStep): [path: string, call: CommandCall][] {
  const calls: [string, CommandCall][] = step.type === 'command' ? [['', step as AnyStep & CommandCall]] : [];
  if (isActivityStep(step) && step.compensation) calls.push(['compensation.', step.compensation]);
  return calls;
}

export function isStepOf<S extends AnyStep>(kind: ControlStepKind<S>, step: AnyStep): step is S {
  return step.type === typeOf(kind);
}

/** How long one attempt of a step may take. */
export function attemptTimeoutMs(
  { defaultTimeoutSeconds }: ActivityStepKind,
  { timeoutSeconds }: ActivityStep,
): number {
  return (timeoutSeconds ?? defaultTimeoutSeconds) * 1_000;
}

/** The lists of steps within a step, with their paths in it. */
export function blocksOf(step: AnyStep): [path: string, steps: readonly AnyStep[]][] {
  const kind = kindOf(step);
  return isActivity(kind) ? [] : (kind.blocks?.(step) ?? []);
}

/** The list of a step that is a loop. */
export function listOf(step: AnyStep): string | undefined {
  const kind = kindOf(step);
  return isActivity(kind) ? undefined : kind.list?.(step);
}

export function isLoop(step: AnyStep): boolean {
  return listOf(step) !== undefined;
}

function typeOf({ schema }: Pick<StepKind, 'schema'>): string {
  return schema.properties.type.const;
}
