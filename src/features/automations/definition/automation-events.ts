import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import type { SentEvent } from '../steps/step-kind.ts';
import { kindOf } from '../steps/step-kinds.ts';
import { stepsOf } from './automation-content.ts';
import { AUTOMATION } from './automation-type.ts';

/** An event that an automation sends. */
export interface AutomationEvent extends SentEvent {
  readonly automationCode: string;
  /** Of the automation. */
  readonly name: string;
}

/** The events that the steps of automations send, each type once. */
export function automationEvents(configuration: Configuration): AutomationEvent[] {
  const events = new Map<string, AutomationEvent>();
  for (const [automationCode, { content }] of configuration.all(AUTOMATION)) {
    for (const { step } of stepsOf(content.steps)) {
      const sent = kindOf(step).emits?.(step, automationCode);
      if (sent && !events.has(sent.eventType))
        events.set(sent.eventType, { ...sent, automationCode, name: content.name });
    }
  }
  return [...events.values()];
}

/** Whether an automation sends events of a type, or of types that begin with what stands before its `*`. */
export function isSentByAutomation(eventType: string, configuration: Configuration): boolean {
  return automationEvents(configuration).some((event) => matchesEventType(eventType, event.eventType));
}
