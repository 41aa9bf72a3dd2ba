import { type AnyStep, toCommand, toModel, toRole } from '../steps/step-schema.ts';
import type { NeededPermission, Reference, ResourceType } from '../../../platform/metadata/resources/resource-type.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { problemsOfFields, targetsOfFields } from '../../../platform/metadata/models/declared-fields.ts';
import { isActivityStep, isStepOf, kindOf, STEP_SCHEMA } from '../steps/step-kinds.ts';
import { waitForEventStep } from '../steps/wait-for-event.step.ts';
import { AUTOMATION_SCHEMA, stepsOf, type AutomationContent } from './automation-content.ts';
import { automationSecrets } from './automation-expressions.ts';
import { problemsOfAutomationTypes } from './automation-types.ts';
import { problemsOfAutomation } from './automation-validation.ts';

/** An automation, with what a run of it is pinned to. */
export interface Automation {
  readonly code: string;
  readonly pid: string;
  readonly version: number;
  readonly content: AutomationContent;
}

/** Automations: steps that a trigger starts. */
export const AUTOMATION: ResourceType<AutomationContent, Automation> = {
  name: 'AUTOMATION',
  codePattern: '^[a-z][a-z0-9_]{0,47}$',
  schema: AUTOMATION_SCHEMA,
  schemas: [STEP_SCHEMA],
  notFound: 'There is no such automation',
  unknownCode: '{code} is not an automation',
  keep: ({ code, pid = '', version = 0, content }) => ({ code, pid, version, content }),
  validate: (content) => ({ ...problemsOfFields(content.input ?? [], 'input'), ...problemsOfAutomation(content) }),
  eventTypes: (code, { steps }) =>
    [...stepsOf(steps)].flatMap(({ step }) => kindOf(step).emits?.(step, code).eventType ?? []),
  eventTypesHeard,
  permissionCodes: (code) => [permissionCode.automationRun(code)],
  check: ({ content }, after) => problemsOfAutomationTypes(content, after),
  references: automationReferences,
  permissionsNeeded: (_code, content) => permissionsOfRole(content),
  secrets: automationSecrets,
};

/** The commands, models with fields, assistants and roles that an automation cannot work without. */
function automationReferences({ trigger, input = [], runAs, steps }: AutomationContent): Reference[] {
  return [
    ...toRole('runAs', runAs),
    ...(trigger.type === 'event' ? toModel('trigger.modelCode', trigger.modelCode) : []),
    ...(trigger.type === 'command' ? toCommand('trigger.commandCode', trigger.commandCode) : []),
    ...targetsOfFields(input, 'input'),
    ...[...stepsOf(steps)].flatMap(({ step, path }) => below(path, stepReferences(step))),
  ].map((reference) => ({ ...reference, path: `content.${reference.path}` }));
}

/** What its steps need of the role that it runs as. */
function permissionsOfRole({ runAs: role, steps }: AutomationContent): NeededPermission[] {
  if (role === undefined) return [];
  return [...stepsOf(steps)].flatMap(({ step, path }) =>
    (kindOf(step).permissionsNeeded?.(step) ?? []).map(([key, permission]) => {
      return { path: `content.${path}.${key}`, role, permission };
    }),
  );
}

/** The events of its trigger and of its steps that wait. */
function eventTypesHeard({ trigger, steps }: AutomationContent): [path: string, eventType: string][] {
  const waiting = [...stepsOf(steps)].flatMap(({ step, path }): [string, string][] =>
    isStepOf(waitForEventStep, step) ? [[`content.${path}.eventType`, step.eventType]] : [],
  );
  return trigger.type === 'event' ? [['content.trigger.eventType', trigger.eventType], ...waiting] : waiting;
}

function stepReferences(step: AnyStep): Reference[] {
  const own = kindOf(step).references?.(step) ?? [];
  if (!isActivityStep(step) || !step.compensation) return own;
  return [...own, ...toCommand('compensation.commandCode', step.compensation.commandCode)];
}

function below(path: string, references: readonly Reference[]): Reference[] {
  return references.map((reference) => ({ ...reference, path: `${path}.${reference.path}` }));
}
