import type { Reference } from '../../../platform/metadata/resources/resource-type.ts';
import { isActivityStep, kindOf } from '../steps/step-kinds.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { toCommand, toModel, toRole } from '../steps/step-references.ts';
import { stepsOf, type AutomationContent } from './automation-content.ts';

/** The commands, models with fields, assistants and roles that an automation cannot work without. */
export function automationReferences({ trigger, input = [], runAs, steps }: AutomationContent): Reference[] {
  return [
    ...toRole('runAs', runAs),
    ...(trigger.type === 'event' ? toModel('trigger.modelCode', trigger.modelCode) : []),
    ...(trigger.type === 'command' ? toCommand('trigger.commandCode', trigger.commandCode) : []),
    ...input.flatMap(({ target }, index) => toModel(`input.${index}.target`, target)),
    ...[...stepsOf(steps)].flatMap(({ step, path }) => below(path, stepReferences(step))),
  ].map((reference) => ({ ...reference, path: `content.${reference.path}` }));
}

function stepReferences(step: AnyStep): Reference[] {
  const own = kindOf(step).references?.(step) ?? [];
  if (!isActivityStep(step) || !step.compensation) return own;
  return [...own, ...toCommand('compensation.commandCode', step.compensation.commandCode)];
}

function below(path: string, references: readonly Reference[]): Reference[] {
  return references.map((reference) => ({ ...reference, path: `${path}.${reference.path}` }));
}
