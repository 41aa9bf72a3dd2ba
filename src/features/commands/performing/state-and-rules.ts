import { inTurn } from '../../../foundation/jobs/turns.ts';
import { variablesOf } from '../../../foundation/expressions/equalities.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { valuesOfRecord } from '../../../platform/metadata/models/expression-values.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { ExpressionContext } from '../definition/command-cel.ts';
import type { CommandContent } from '../definition/command-content.ts';
import { requireState } from '../definition/command-transition.ts';
import { checkRules, expressionContext } from './command-steps.ts';
import { payloadValues } from './command-values.ts';
import type { CommandRequest } from '../request/command-request.ts';

/** What is known of a command before it is performed; what is left out is not known yet. */
interface Known {
  readonly request?: Pick<CommandRequest, 'operation' | 'payload'>;
  /** Its target; null where it has none. */
  readonly record?: RecordData | null;
}

/**
 * Whether a command may run now: the state of its target, then its rules. Rules that read what is not known
 * are left out.
 * @returns what the command's expressions read; null where it has none
 * @throws CONFLICT (STATE) for a target in another state; the error of a broken rule
 */
export async function checkStateAndRules(
  command: CommandContent,
  actor: Actor,
  { request, record }: Known,
): Promise<ExpressionContext | null> {
  const model = actor.metadata.model(command.modelCode);
  if (record) requireState(command, model, actor, record);
  if (!command.rules && !command.steps) return null;
  const payload = request ? payloadValues(command, request.operation, request.payload, actor) : {};
  const context = expressionContext(actor, payload, record ? valuesOfRecord(model, record) : null);
  const unknown = [...(request ? [] : ['payload']), ...(record === undefined ? ['record'] : [])];
  const isKnown = (assert: string): boolean =>
    unknown.length === 0 || !unknown.some((name) => variablesOf(assert).has(name));
  await inTurn(() => checkRules(command.rules, context, isKnown));
  return context;
}
