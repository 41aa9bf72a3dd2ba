import { celEnvironment } from './evaluation/environment.ts';
import { celLanguage } from './language.ts';

/** Expressions of automations. */
export const automationCel = celLanguage(
  celEnvironment()
    .registerVariable('input', 'dyn', { description: 'what the run was given' })
    .registerVariable('event', 'dyn', { description: 'the event that started the run, or that a step waited for' })
    .registerVariable('steps', 'dyn', { description: 'what earlier steps gave, by step id' })
    .registerVariable('item', 'dyn', { description: 'within a for-each: what it is at' })
    .registerVariable('index', 'dyn', { description: 'within a for-each: the number of the item, from 0' })
    .registerVariable('loops', 'dyn', { description: 'item and index of every for-each around, by step id' })
    .registerVariable('run', 'dyn', { description: 'pid, automationCode, createdAt, startedBy' })
    .registerVariable('actor', 'dyn', { description: 'as whom the run acts: pid, username, tenantId' })
    .registerVariable('now', 'google.protobuf.Timestamp', { description: 'the time of the evaluation' }),
);
