import type { Actor } from '../../platform/auth/requests/actor.ts';
import {
  conflict,
  throwIfInvalid,
  validationError,
  type FieldErrors,
} from '../../foundation/errors/application-error.ts';
import { evaluate, evaluateAll, type ExpressionContext } from '../../foundation/expressions/cel.ts';
import { StepBudget } from '../../foundation/expressions/step-budget.ts';
import { valuesOfRecord } from '../../platform/metadata/models/expression-values.ts';
import type { CommandContent, CommandRuleContent, CommandStepContent } from './command-content.ts';
import { checkCreate, checkUpdate } from '../records/payload.ts';
import type { RecordWriter } from '../records/record-writer.ts';
import type { RecordData } from '../records/records.service.ts';

/** The rights of a command's own steps: the right to execute a command includes its effects on any field. */
const STEP_PERMISSIONS = { has: () => true };

/** What expressions of a command read. `record` is the target as it was before the command. */
export function expressionContext(
  actor: Actor,
  payload: Readonly<Record<string, unknown>>,
  record: Readonly<Record<string, unknown>> | null,
): ExpressionContext {
  const { userPid: pid, username, tenantId } = actor;
  return { payload, record, steps: {}, actor: { pid, username, tenantId }, now: new Date() };
}

/**
 * @throws the first broken rule's error: CONFLICT with its reason, or VALIDATION_ERROR at its field;
 * EXPRESSION_LIMIT
 */
export function checkRules(rules: readonly CommandRuleContent[] = [], context: ExpressionContext): void {
  const budget = new StepBudget();
  for (const [index, { assert, message, code = 'CONFLICT', reason = 'STATE', field = 'payload' }] of rules.entries()) {
    if (evaluate(assert, context, `rules.${index}.assert`, budget) === true) continue;
    throw code === 'CONFLICT' ? conflict(reason, message) : validationError({ [field]: message }, message);
  }
}

/**
 * Runs the steps in their order and gives the command's result. All of it is one transaction: all or nothing.
 */
export async function runSteps(
  { steps = [], result }: CommandContent,
  actor: Actor,
  writer: RecordWriter,
  context: ExpressionContext,
): Promise<unknown> {
  const written: Record<string, RecordData | null> = {};
  const read: Record<string, unknown> = {};
  for (const step of steps) {
    const current = { ...context, steps: read };
    const isLeftOut = step.when && evaluate(step.when, current, `steps.${step.id}.when`) !== true;
    const record = isLeftOut ? null : await runStep(step, actor, writer, current);
    written[step.id] = record;
    read[step.id] = record && valuesOfRecord(actor.metadata.model(step.modelCode), record);
  }
  if (!result) return written;
  return evaluateAll(result, { ...context, steps: read }, 'result');
}

async function runStep(
  { id, operation, modelCode, target, values = {} }: CommandStepContent,
  actor: Actor,
  writer: RecordWriter,
  context: ExpressionContext,
): Promise<RecordData> {
  const model = actor.metadata.model(modelCode);
  const payload = evaluateAll(values, context, `steps.${id}.values`);
  const errors: FieldErrors = {};
  if (operation === 'CREATE') {
    const columns = checkCreate(model, STEP_PERMISSIONS, payload, errors);
    throwIfInvalid(prefixed(errors, id));
    return writer.create(model, columns);
  }
  const before = await writer.lock(model, String(evaluate(target ?? '', context, `steps.${id}.target`)));
  if (operation === 'DELETE') {
    await writer.delete(model, before);
    return before;
  }
  const columns = checkUpdate(model, STEP_PERMISSIONS, payload, errors);
  throwIfInvalid(prefixed(errors, id));
  return writer.update(model, before, columns);
}

function prefixed(errors: FieldErrors, id: string): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([code, problem]) => [`${id}.${code}`, problem]));
}
