import { isActing, stepsOf, type AutomationContent, type StepContent } from './automation-content.ts';
import { BUILT_IN_ROLES } from './permissions.ts';
import type { Reference } from './references.ts';

/** What an automation cannot work without: commands, models with the fields it filters by, assistants, and roles. */
export function automationReferences({ trigger, input = [], runAs, steps }: AutomationContent): Reference[] {
  const references = [...toRole('runAs', runAs)];
  if (trigger.type === 'event') references.push(...toModel('trigger.modelCode', trigger.modelCode));
  if (trigger.type === 'command') references.push(...toCommand('trigger.commandCode', trigger.commandCode));
  input.forEach(({ target }, index) => references.push(...toModel(`input.${index}.target`, target)));
  for (const { step, path } of stepsOf(steps)) references.push(...ofStep(step, path));
  return references;
}

function ofStep(step: StepContent, path: string): Reference[] {
  const references: Reference[] = [];
  if (step.type === 'command') references.push(...toCommand(`${path}.commandCode`, step.commandCode));
  if (step.type === 'query') {
    const { modelCode, filters = [], sortField } = step;
    references.push(...toModel(`${path}.modelCode`, modelCode));
    filters.forEach(({ fieldName }, index) =>
      references.push(...toModel(`${path}.filters.${index}.fieldName`, modelCode, fieldName)),
    );
    if (sortField !== undefined) references.push(...toModel(`${path}.sortField`, modelCode, sortField));
  }
  if (step.type === 'assistant') {
    references.push({ path: `content.${path}.assistant`, resourceType: 'ASSISTANT', code: step.assistant });
  }
  if (step.type === 'waitForEvent') references.push(...toModel(`${path}.modelCode`, step.modelCode));
  if (step.type === 'approval') references.push(...toRole(`${path}.role`, step.role));
  if (isActing(step) && step.compensation) {
    references.push(...toCommand(`${path}.compensation.commandCode`, step.compensation.commandCode));
  }
  return references;
}

function toModel(path: string, code: string | undefined, field?: string): Reference[] {
  if (code === undefined) return [];
  return [{ path: `content.${path}`, resourceType: 'MODEL', code, ...(field !== undefined && { field }) }];
}

function toCommand(path: string, code: string): Reference[] {
  return [{ path: `content.${path}`, resourceType: 'COMMAND', code }];
}

function toRole(path: string, code: string | undefined): Reference[] {
  if (code === undefined || BUILT_IN_ROLES.has(code)) return [];
  return [{ path: `content.${path}`, resourceType: 'PERMISSION', code }];
}
