import { evaluationScope } from '../../../foundation/expressions/evaluation/evaluation-scope.ts';
import { celLanguage } from '../../../foundation/expressions/language.ts';

export type { ExpressionContext } from '../../../foundation/expressions/language.ts';

const variables = () =>
  evaluationScope()
    .registerVariable('payload', 'dyn', { description: 'the fields of the command' })
    .registerVariable('record', 'dyn', { description: 'the record the command works on, as it was before' })
    .registerVariable('steps', 'dyn', { description: 'what earlier steps gave, by step id' })
    .registerVariable('actor', 'dyn', { description: 'who runs the command: pid, username, tenantId' })
    .registerVariable('now', 'google.protobuf.Timestamp', { description: 'the time of the command' });

/** Expressions of commands. CEL terminates, has no side effects, and reads only its variables. */
export const { problemOf } = celLanguage(variables());

/** The same in steps that are done for each item of a list. */
export const {
  evaluate,
  holds,
  compute,
  evaluateAll,
  computeAll,
  problemOf: problemForEach,
} = celLanguage(variables().registerVariable('item', 'dyn', { description: 'the item of a step with `forEach`' }));
