import type { AnyCommandStep, CommandStepKind, NamedStepKind } from './command-step.ts';
import { emitStep } from './emit.step.ts';
import { queryStep } from './query.step.ts';
import { recordStep } from './record.step.ts';
import { requireStep } from './require.step.ts';
import { setStep } from './set.step.ts';
import { startAutomationStep } from './start-automation.step.ts';

/** Every kind of step that has a `type`. A new kind is a file and a line here. */
const NAMED_KINDS: readonly NamedStepKind[] = [setStep, queryStep, requireStep, emitStep, startAutomationStep];

const byType = new Map(NAMED_KINDS.map((kind) => [kind.schema.properties.type.const, kind]));

/** One step. Without a `type` it writes a record. */
export const STEP_SCHEMA = {
  type: 'object',
  if: { required: ['type'] },
  then: { required: ['type'], discriminator: { propertyName: 'type' }, oneOf: NAMED_KINDS.map(({ schema }) => schema) },
  else: recordStep.schema,
};

export function kindOf({ type }: AnyCommandStep): CommandStepKind {
  const kind = type === undefined ? recordStep : byType.get(type);
  if (!kind) throw new Error(`${type} is not a kind of step of commands`);
  return kind;
}
