import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { TypeCheck, type ValueType, type VariableTypes } from '../../../foundation/expressions/type-check.ts';
import { typeInJson } from '../../../foundation/expressions/value-type.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { eventsMatching, typesOfCommand, type EventValueTypes } from '../../commands/definition/command-events.ts';
import { includesRecordEvents } from '../../../platform/events/event-pattern.ts';
import { problemOfFilterTypes, typeOfEvent, typesOfEvents } from '../../commands/definition/event-value-types.ts';
import { typeOfFields } from '../../../platform/metadata/models/record-types.ts';
import { problemOfFit } from '../../../platform/metadata/models/value-fit.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { blocksOf, isStepOf, kindOf, listOf } from '../steps/step-kinds.ts';
import { waitForEventStep, type WaitForEventStep } from '../steps/wait-for-event.step.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { stepsOf, type AutomationContent, type TriggerContent } from './automation-content.ts';
import { expressionsOf } from './automation-expressions.ts';
import { problemsOfCommandCalls } from './command-call-problems.ts';

/** Problems of the types of an automation's expressions: path -> problem. */
export function problemsOfAutomationTypes(content: AutomationContent, after: Configuration): FieldErrors {
  const { trigger, input = [] } = content;
  const outputs: Record<string, ValueType> = {};
  for (const { step } of stepsOf(content.steps)) outputs[step.id] = kindOf(step).outputType?.(step, after) ?? 'any';
  const variables: VariableTypes = {
    input: typeOfFields(input),
    // No event starts the runs of other triggers, and no item is there outside of a loop.
    ...(trigger.type !== 'manual' && trigger.type !== 'schedule' && { event: typeOfEvent(eventsOf(trigger, after)) }),
    steps: { fields: outputs },
    run: { fields: { pid: 'text', automationCode: 'text', createdAt: 'text', startedBy: 'text' } },
    actor: { fields: { pid: 'text', username: 'text', tenantId: 'text' } },
    now: 'time',
  };
  const problems: FieldErrors = {};
  const report = (path: string, problem: Message | null): void => {
    if (problem) problems[`content.${path}`] = problem;
  };
  const check = new TypeCheck(variables);
  for (const [code, source] of Object.entries(trigger.type === 'manual' ? {} : (trigger.input ?? {}))) {
    const field = input.find((each) => each.code === code);
    report(`trigger.input.${code}`, check.problemOf(source) ?? problemOfFit(field, source, check));
  }
  report('trigger.filter', problemOfTriggerFilter(trigger, after));
  if (trigger.type === 'event') report('trigger.modelCode', problemOfEventModel(trigger, after));
  for (const { step, path, variables: known, check: own } of checkedSteps(content.steps, variables)) {
    const among = { ...problemsOfCommandCalls(step, after, own), ...kindOf(step).problemsAmong?.(step, after, own) };
    for (const [key, problem] of Object.entries(among)) report(`${path}.${key}`, problem);
    if (isStepOf(waitForEventStep, step)) report(`${path}.modelCode`, problemOfEventModel(step, after));
    // The filter of a step that waits reads the event that it waits for.
    const ofFilter = isStepOf(waitForEventStep, step) ? new TypeCheck({ ...known, event: awaited(step, after) }) : own;
    for (const { path: key, source, isCondition } of expressionsOf(step)) {
      const by = key === 'filter' ? ofFilter : own;
      report(`${path}.${key}`, isCondition ? by.problemOfCondition(source) : by.problemOf(source));
    }
  }
  return problems;
}

interface CheckedStep {
  readonly step: AnyStep;
  readonly path: string;
  readonly variables: VariableTypes;
  readonly check: TypeCheck;
}

/** Every step with the types of its variables: within a loop there is an item. */
function* checkedSteps(
  steps: readonly AnyStep[],
  variables: VariableTypes,
  at = 'steps',
  loops: Readonly<Record<string, ValueType>> = {},
): Iterable<CheckedStep> {
  const check = new TypeCheck(variables);
  for (const [index, step] of steps.entries()) {
    const path = `${at}.${index}`;
    yield { step, path, variables, check };
    const list = listOf(step);
    const item = list === undefined ? null : itemTypeOf(list, check);
    const around = item === null ? loops : { ...loops, [step.id]: { fields: { item, index: 'number' as const } } };
    const inner =
      item === null ? variables : { ...variables, item, index: 'number' as const, loops: { fields: around } };
    for (const [name, block] of blocksOf(step)) yield* checkedSteps(block, inner, `${path}.${name}`, around);
  }
}

/** What a step within a loop reads of the list: runs keep it as JSON. */
function itemTypeOf(list: string, check: TypeCheck): ValueType {
  const type = check.valueTypeOf(list);
  return typeof type === 'object' && 'list' in type ? typeInJson(type.list) : 'any';
}

/** The problem of an event that is never about the model: that of a command is about the command's own. */
function problemOfEventModel(
  { eventType, modelCode }: Pick<WaitForEventStep, 'eventType' | 'modelCode'>,
  after: Configuration,
): Message | null {
  if (modelCode === undefined || includesRecordEvents([eventType])) return null;
  const [about] = eventsMatching(eventType, null, after);
  if (!about || eventsMatching(eventType, modelCode, after).length > 0) return null;
  return text('{type} is about {model}', { type: eventType, model: about.command.modelCode });
}

function awaited({ eventType, modelCode }: WaitForEventStep, after: Configuration): ValueType {
  return typeOfEvent(typesOfEvents(eventType, modelCode ?? null, after));
}

/** The types of events that start a run; null if any event may. */
function eventsOf(trigger: TriggerContent, after: Configuration): EventValueTypes[] | null {
  if (trigger.type === 'event') return typesOfEvents(trigger.eventType, trigger.modelCode ?? null, after);
  const command = trigger.type === 'command' ? after.find(COMMAND, trigger.commandCode) : undefined;
  return command ? [typesOfCommand(command, after)] : null;
}

function problemOfTriggerFilter(trigger: TriggerContent, after: Configuration): Message | null {
  const filter = 'filter' in trigger ? trigger.filter : undefined;
  const events = filter === undefined ? null : eventsOf(trigger, after);
  return filter !== undefined && events ? problemOfFilterTypes(filter, events) : null;
}
