import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { TypeCheck, type ValueType, type VariableTypes } from '../../../foundation/expressions/type-check.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { CommandContent } from '../../commands/definition/command-content.ts';
import { payloadFieldsOfAll } from '../../commands/definition/payload-fields.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { typesOfCommand, type EventValueTypes } from '../../commands/definition/command-events.ts';
import { problemOfFilterTypes, typeOfEvent, typesOfEvents } from '../../commands/definition/event-value-types.ts';
import { problemOfLiteral } from '../../commands/steps/literal-problem.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfFields } from '../../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { commandCallsOf, isStepOf, kindOf } from '../steps/step-kinds.ts';
import { waitForEventStep, type WaitForEventStep } from '../steps/wait-for-event.step.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { stepsOf, type AutomationContent, type TriggerContent } from './automation-content.ts';
import { expressionsOf } from './automation-expressions.ts';

/** Problems of the types of an automation's expressions: path -> problem. */
export function problemsOfAutomationTypes(content: AutomationContent, after: Configuration): FieldErrors {
  const steps = [...stepsOf(content.steps)];
  const outputs: Record<string, ValueType> = {};
  for (const { step } of steps) outputs[step.id] = kindOf(step).outputType?.(step, after) ?? 'any';
  const variables: VariableTypes = {
    input: typeOfFields(content.input ?? []),
    event: typeOfEvent(eventsOf(content.trigger, after)),
    steps: { fields: outputs },
    item: 'any',
    index: 'any',
    loops: 'any',
    run: { fields: { pid: 'text', automationCode: 'text', createdAt: 'text', startedBy: 'text' } },
    actor: { fields: { pid: 'text', username: 'text', tenantId: 'text' } },
    now: 'time',
  };
  const check = new TypeCheck(variables);
  const problems: FieldErrors = {};
  const report = (path: string, source: string, by = check, isCondition = false): void => {
    const problem = isCondition ? by.problemOfCondition(source) : by.problemOf(source);
    if (problem) problems[`content.${path}`] = problem;
  };
  const { trigger } = content;
  const mapping = trigger.type === 'manual' ? {} : (trigger.input ?? {});
  for (const [code, source] of Object.entries(mapping)) {
    report(`trigger.input.${code}`, source);
    const field = content.input?.find((each) => each.code === code);
    const problem = problemOfLiteral(field, source);
    if (problem) problems[`content.trigger.input.${code}`] = problem;
  }
  const filter = problemOfTriggerFilter(trigger, after);
  if (filter) problems['content.trigger.filter'] = filter;
  for (const { step, path } of steps) {
    Object.assign(problems, problemsOfPayloads(step, `content.${path}`, after));
    for (const [key, problem] of Object.entries(kindOf(step).problemsAmong?.(step, after) ?? {})) {
      problems[`content.${path}.${key}`] = problem;
    }
    // The filter of a step that waits reads the event that it waits for.
    const waits = isStepOf(waitForEventStep, step)
      ? new TypeCheck({ ...variables, event: awaited(step, after) })
      : check;
    for (const { path: key, source, isCondition } of expressionsOf(step)) {
      report(`${path}.${key}`, source, key === 'filter' ? waits : check, isCondition);
    }
  }
  return problems;
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

/** Problems of what a step or its compensation gives to a command: unknown fields and wrong literals. */
function problemsOfPayloads(step: AnyStep, path: string, after: Configuration): FieldErrors {
  const problems: FieldErrors = {};
  for (const [at, { commandCode, operationType, payload = {} }] of commandCallsOf(step)) {
    const command = after.find(COMMAND, commandCode);
    if (command && operationType !== undefined && !(command.operations as readonly string[]).includes(operationType)) {
      problems[`${path}.${at}operationType`] = 'is not an operation of the command';
    }
    const fields = command && fieldsOf(command, after);
    const related = new Set(command?.relations?.map(({ code }) => code));
    for (const [code, source] of fields ? Object.entries(payload) : []) {
      if (related.has(code)) continue;
      const field = fields?.find((each) => each.code === code);
      const problem = field
        ? problemOfLiteral(field, source)
        : withSuggestion(
            text('is not a field of {model}', { model: commandCode }),
            code,
            (fields ?? []).map((each) => each.code),
          );
      if (problem) problems[`${path}.${at}payload.${code}`] = problem;
    }
  }
  return problems;
}

function fieldsOf(command: CommandContent, after: Configuration): FieldContent[] | undefined {
  const model = after.find(MODEL, command.modelCode);
  return model && payloadFieldsOfAll(command, model);
}
