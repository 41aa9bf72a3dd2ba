import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { problemOf } from '../../foundation/expressions/cel.ts';
import { problemOfSteps } from '../../platform/metadata/content/step-references.ts';
import { problemsOfFields } from '../../platform/metadata/models/declared-fields.ts';
import { toModel } from '../../platform/metadata/resources/references.ts';
import type { Reference, ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { commandSources, valuesShown } from './command-sources.ts';
import { problemsOfTypes } from './command-expression-types.ts';
import { problemsOfTransition, problemsWithStates } from './command-transition.ts';
import { COMMAND_SCHEMA, type CommandContent } from './command-content.ts';

/** Commands: the only way in which records are written. */
export const COMMAND: ResourceType<CommandContent, CommandContent> = {
  name: 'COMMAND',
  codePattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,63}$',
  schema: COMMAND_SCHEMA,
  notFound: 'There is no such command',
  unknownCode: '{code} is not a command',
  keep: ({ content }) => content,
  validate: problemsOfCommand,
  check: ({ content }, after) => ({
    ...problemsOfTypes(content, expressionsOf(content), after),
    ...problemsWithStates(content, after),
  }),
  permissionCodes: (code) => [permissionCode.commandExecute(code)],
  references: referencesOf,
  modelsWritten: modelsOf,
  eventSources: commandSources,
  valuesShown,
  reveals: ({ reveals = [] }) => reveals,
};

/** Codes of the models whose records a command writes, and so answers with. */
export function modelsOf({ modelCode, steps = [] }: CommandContent): ReadonlySet<string> {
  return new Set([modelCode, ...steps.map((step) => step.modelCode)]);
}

function referencesOf({ modelCode, transition, steps = [], reveals = [] }: CommandContent): Reference[] {
  return [
    toModel('modelCode', modelCode),
    ...(transition ? [{ ...toModel('transition.field', modelCode, transition.field), isWritten: true }] : []),
    ...reveals.map((revealed, index) => {
      const [model = '', field] = revealed.split('.');
      return toModel(`reveals.${index}`, model, field);
    }),
    ...steps.flatMap((step, index) => [
      toModel(`steps.${index}.modelCode`, step.modelCode),
      ...Object.keys(step.values ?? {}).map((field) => ({
        ...toModel(`steps.${index}.values.${field}`, step.modelCode, field),
        isWritten: true,
      })),
    ]),
  ];
}

function problemsOfCommand(command: CommandContent): FieldErrors {
  const problems: FieldErrors = {
    ...problemsOfFields(command.payload ?? [], 'payload'),
    ...problemsOfTransition(command),
  };
  const custom = command.operations.includes('CUSTOM');
  if (custom && !command.steps) problems['content.steps'] = 'is required for a CUSTOM command';
  if (custom && command.operations.length > 1) problems['content.operations'] = 'CUSTOM stands alone';
  for (const key of ['target', 'payload'] as const) {
    if (!custom && command[key] !== undefined) problems[`content.${key}`] = 'belongs to CUSTOM commands only';
  }
  if (command.result && !command.steps) problems['content.result'] = 'needs steps';
  const ids = (command.steps ?? []).map(({ id }) => id);
  ids.forEach((id, index) => {
    if (ids.indexOf(id) !== index) problems[`content.steps.${index}.id`] = 'is used by two steps';
  });
  for (const { path, source, stepsBefore } of expressionsOf(command)) {
    const known = new Set(ids.slice(0, stepsBefore));
    const problem = problemOf(source) ?? problemOfSteps(source, known);
    if (problem) problems[`content.${path}`] = problem;
  }
  return problems;
}

interface PlacedExpression {
  readonly path: string;
  readonly source: string;
  /** How many of the command's steps have run when it is evaluated. */
  readonly stepsBefore: number;
}

function* expressionsOf({ rules = [], steps = [], result = {} }: CommandContent): Iterable<PlacedExpression> {
  for (const [index, { assert }] of rules.entries()) {
    yield { path: `rules.${index}.assert`, source: assert, stepsBefore: 0 };
  }
  for (const [index, { target, when, values = {} }] of steps.entries()) {
    const ofValues = Object.entries(values).map(([code, source]): [string, string] => [`values.${code}`, source]);
    for (const [key, source] of [['target', target] as const, ['when', when] as const, ...ofValues]) {
      if (source) yield { path: `steps.${index}.${key}`, source, stepsBefore: index };
    }
  }
  for (const [key, source] of Object.entries(result)) {
    yield { path: `result.${key}`, source, stepsBefore: steps.length };
  }
}
