import { evaluationScope } from '../../../foundation/expressions/evaluation/evaluation-scope.ts';
import { celLanguage } from '../../../foundation/expressions/language.ts';

export type { ExpressionContext } from '../../../foundation/expressions/language.ts';

/** Expressions of commands. CEL terminates, has no side effects, and reads only its variables. */
export const { evaluate, holds, evaluateAll, computeAll, problemOf } = celLanguage(
  evaluationScope()
    .registerVariable('payload', 'dyn', { description: 'the fields of the command' })
    .registerVariable('record', 'dyn', { description: 'the record the command works on, as it was before' })
    .registerVariable('steps', 'dyn', { description: 'what earlier steps gave, by step id' })
    .registerVariable('actor', 'dyn', { description: 'who runs the command: pid, username, tenantId' })
    .registerVariable('now', 'google.protobuf.Timestamp', { description: 'the time of the command' }),
);
