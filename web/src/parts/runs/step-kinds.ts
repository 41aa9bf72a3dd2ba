import type { TextKey } from '../../app/texts.ts';

/** What a step of an automation or of a command does, by its kind. */
export const STEP_KINDS: Readonly<Record<string, TextKey>> = {
  approval: 'asks someone',
  assistant: 'asks an assistant',
  branch: 'goes one of several ways',
  command: 'runs a command',
  condition: 'goes on if',
  emit: 'tells it as an event',
  forEach: 'does it for each',
  http: 'calls an address',
  query: 'reads records',
  require: 'requires',
  set: 'works out values',
  startAutomation: 'starts an automation',
  wait: 'waits',
  waitForEvent: 'waits for an event',
  webhook: 'sends to webhooks',
};

/** What is done with a record, by the operation. */
export const RECORD_STEPS: Readonly<Record<string, TextKey>> = {
  CREATE: 'creates a record',
  UPDATE: 'changes a record',
  DELETE: 'deletes a record',
};
