import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { variablesOf } from '../../../foundation/expressions/equalities.ts';
import type { TypeCheck } from '../../../foundation/expressions/type-check.ts';
import { problemForEach, problemOf } from './command-cel.ts';
import { problemOfSteps } from '../../../platform/metadata/content/step-references.ts';
import { problemsOfFields, targetsOfFields } from '../../../platform/metadata/models/declared-fields.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import type { Reference, ResourceType, Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { commandOrigins, modelsTold, valuesShown } from './command-origins.ts';
import { problemsOfExamples } from './example-content.ts';
import { problemsAmongExamples } from './example-problems.ts';
import { problemsOfMatch } from './match-on.ts';
import {
  problemsOfFieldsTaken,
  problemsOfRefusedFields,
  problemsOfRequired,
  referencesOfFields,
  takesUnnamedFields,
} from './payload-fields.ts';
import { checksOf, problemsOfTypes, type PlacedExpression } from './command-expression-types.ts';
import { problemsOfTransition, problemsWithStates } from './command-transition.ts';
import { COMMAND_SCHEMA, type CommandContent } from './command-content.ts';
import { needsTarget } from './request-problems.ts';
import { problemOfEventType } from '../steps/emit.step.ts';
import { kindOf } from '../steps/step-kinds.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { keysOfValues } from '../../../platform/metadata/models/enum-options.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { problemOfPayloadKey, RESERVED_FIELD_CODES } from '../../../platform/metadata/models/model.ts';

/** Commands: the only way in which records are written. */
export const COMMAND: ResourceType<CommandContent, CommandContent> = {
  name: 'COMMAND',
  codePattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,63}$',
  schema: COMMAND_SCHEMA,
  notFound: 'There is no such command',
  unknownCode: '{code} is not a command',
  keep: ({ content }) => content,
  validate: problemsOfCommand,
  check: ({ code, content }, after) => ({
    ...problemsOfExpressions(code, content, after),
    ...problemsWithStates(content, after),
    ...problemsOfMatch(content, after),
    ...problemsOfRequired(content, after),
    ...problemsOfRefusedFields(content, after),
    ...problemsAmongExamples(content, after),
    ...problemsOfRelatedModels(content, after),
    ...problemOfOwnEvent(code, content, after),
  }),
  eventTypes: eventTypesOf,
  permissionCodes: (code) => [permissionCode.commandExecute(code)],
  textKeys: (code, { payload = [] }) => keysOfValues(code, payload),
  references: referencesOf,
  modelsWritten: modelsOf,
  eventOrigins: commandOrigins,
  valuesShown,
  reveals: ({ reveals = [] }) => reveals,
  takesUnnamedFields,
  warnings: warningsOfRecord,
  permissionsNeeded: (code, { examples = [] }) =>
    examples.flatMap(({ as, expect: { error } }, index) =>
      as === undefined || error
        ? []
        : [{ path: `content.examples.${index}.as`, role: as, permission: permissionCode.commandExecute(code) }],
    ),
  reasons: ({ rules = [], steps = [] }) => [
    ...rules.flatMap(({ reason = [] }) => reason),
    ...steps.flatMap((step) => kindOf(step).reason?.(step) ?? []),
  ],
  reasonsExpected: ({ examples = [] }) =>
    examples.flatMap(({ expect: { error } }, index) =>
      error?.reason === undefined ? [] : [[`content.examples.${index}.expect.error.reason`, error.reason] as const],
    ),
};

/** Codes of the models whose records a command writes, and of those that it reads and tells of. */
export function modelsOf(command: CommandContent): ReadonlySet<string> {
  const { modelCode, steps = [], relations = [] } = command;
  const written = steps.flatMap((step) => kindOf(step).modelWritten?.(step) ?? []);
  const read = steps.flatMap((step) => kindOf(step).modelRead?.(step) ?? []);
  const told = read.length === 0 ? new Set<string>() : modelsTold(command);
  return new Set([
    modelCode,
    ...relations.map((each) => each.modelCode),
    ...written,
    ...read.filter((code) => told.has(code)),
  ]);
}

/** The types of its own event, and of those of its steps. */
function eventTypesOf(code: string, { event, steps = [] }: CommandContent): string[] {
  return [event?.type ?? code, ...steps.flatMap((step) => kindOf(step).event?.(step)?.eventType ?? [])];
}

function referencesOf(command: CommandContent): Reference[] {
  const { modelCode, matchOn = [], payload = [], relations = [], transition, steps = [], reveals = [] } = command;
  return [
    toModel('modelCode', modelCode),
    ...(transition ? [{ ...toModel('transition.field', modelCode, transition.field), isWritten: true }] : []),
    ...referencesOfFields(command),
    ...targetsOfFields(payload, 'payload'),
    ...matchOn.map((field, index) => toModel(`matchOn.${index}`, modelCode, field)),
    ...relations.flatMap((relation, index) => [
      toModel(`relations.${index}.modelCode`, relation.modelCode),
      { ...toModel(`relations.${index}.field`, relation.modelCode, relation.field), isWritten: true },
    ]),
    ...reveals.map((revealed, index) => {
      const [model = '', field] = revealed.split('.');
      return toModel(`reveals.${index}`, model, field);
    }),
    ...steps.flatMap((step, index) => kindOf(step).references?.(step, `steps.${index}`) ?? []),
  ];
}

function problemOfOwnEvent(code: string, { event }: CommandContent, after: Configuration): FieldErrors {
  const problem = event && event.type !== code ? problemOfEventType(event.type, after) : null;
  return problem ? { 'content.event.type': problem } : {};
}

/** Problems of the expressions and steps among the other resources. */
function problemsOfExpressions(code: string, command: CommandContent, after: Configuration): FieldErrors {
  const { steps = [], event } = command;
  const checks = checksOf(command, after);
  const problems = steps.flatMap((step, index) => {
    const place = {
      commandCode: code,
      eventType: event?.type ?? code,
      after,
      check: checks.ofSteps[index] as TypeCheck,
    };
    return Object.entries(kindOf(step).problems?.(step, place) ?? {}).map(
      ([path, problem]) => [`content.steps.${index}.${path}`, problem] as const,
    );
  });
  return { ...Object.fromEntries(problems), ...problemsOfTypes(expressionsOf(command), checks) };
}

function problemsOfCommand(command: CommandContent): FieldErrors {
  const problems: FieldErrors = {
    ...problemsOfFields(command.payload ?? [], 'payload'),
    ...problemsOfTransition(command),
    ...problemsOfFieldsTaken(command),
    ...problemsOfRelations(command),
    ...problemsOfRules(command.rules),
    ...problemsOfExamples(command.examples),
  };
  const custom = command.operations.includes('CUSTOM');
  if (custom && !command.steps) problems['content.steps'] = 'is required for a CUSTOM command';
  if (custom && command.operations.length > 1) problems['content.operations'] = 'CUSTOM stands alone';
  for (const key of ['target', 'payload'] as const) {
    if (!custom && command[key] !== undefined) problems[`content.${key}`] = 'belongs to CUSTOM commands only';
  }
  if ((command.matchOn !== undefined) !== command.operations.includes('UPSERT')) {
    problems['content.matchOn'] = 'belongs to commands that do UPSERT, which need it';
  }
  if (command.result && !command.steps) problems['content.result'] = 'needs steps';
  const ids = (command.steps ?? []).map(({ id }) => id);
  ids.forEach((id, index) => {
    if (ids.indexOf(id) !== index) problems[`content.steps.${index}.id`] = 'is used by two steps';
  });
  for (const { path, source, stepsBefore, isForEach = false } of expressionsOf(command)) {
    const known = new Set(ids.slice(0, stepsBefore));
    const problem = (isForEach ? problemForEach : problemOf)(source) ?? problemOfSteps(source, known);
    if (problem) problems[`content.${path}`] = problem;
  }
  return problems;
}

/** Expressions that read a record where the command works on none: there it is always null. */
function warningsOfRecord(command: CommandContent): FieldErrors {
  if (command.operations.some((operation) => operation === 'UPSERT' || needsTarget(operation, command))) return {};
  const reading = [...expressionsOf(command)].filter(({ source }) => variablesOf(source).has('record'));
  return Object.fromEntries(
    reading.map(({ path }) => [`content.${path}`, 'reads record, but the command works on none'] as const),
  );
}

function* expressionsOf({ rules = [], steps = [], result = {} }: CommandContent): Iterable<PlacedExpression> {
  for (const [index, { assert }] of rules.entries()) {
    yield { path: `rules.${index}.assert`, source: assert, stepsBefore: 0, isCondition: true };
  }
  for (const [index, step] of steps.entries()) {
    const { when } = step;
    const kind = kindOf(step);
    const conditions = [...(when === undefined ? [] : [['when', when] as const]), ...(kind.conditions?.(step) ?? [])];
    const at = (key: string, source: string) => ({ path: `steps.${index}.${key}`, source, stepsBefore: index });
    for (const [key, source] of conditions) yield { ...at(key, source), isCondition: true };
    const list = kind.list?.(step);
    if (list !== undefined) yield { ...at('forEach', list), isList: true };
    const isForEach = list !== undefined;
    for (const [key, source] of kind.expressions(step)) yield { ...at(key, source), isForEach };
  }
  for (const [key, source] of Object.entries(result)) {
    yield { path: `result.${key}`, source, stepsBefore: steps.length };
  }
}

/** What a rule says of a refusal that it does not give. */
function problemsOfRules(rules: CommandContent['rules'] = []): FieldErrors {
  const problems: FieldErrors = {};
  for (const [index, { code = 'CONFLICT', field, reason }] of rules.entries()) {
    const at = `content.rules.${index}`;
    if (code === 'CONFLICT' && field !== undefined)
      problems[`${at}.field`] = text('is for {code}', { code: 'VALIDATION_ERROR' });
    if (code !== 'CONFLICT' && reason !== undefined)
      problems[`${at}.reason`] = text('is for {code}', { code: 'CONFLICT' });
  }
  return problems;
}

/** Problems of a command's `relations` by themselves: path -> problem. */
function problemsOfRelations({ relations, operations, steps }: CommandContent): FieldErrors {
  if (!relations) return {};
  const problems: FieldErrors = {};
  const changes = operations.some((operation) => operation === 'UPDATE' || operation === 'UPSERT');
  if (steps || !(changes || operations.includes('CREATE'))) {
    problems['content.relations'] = 'is for commands without steps that create or update a record';
  }
  const codes = new Set<string>();
  const fields = new Set<string>();
  for (const [index, { code, modelCode, field, operations: own }] of relations.entries()) {
    const at = `content.relations.${index}`;
    const place = `${modelCode}.${field}`;
    if (codes.has(code)) problems[`${at}.code`] = 'is named twice';
    if (fields.has(place)) problems[`${at}.field`] = 'is named twice';
    codes.add(code);
    fields.add(place);
    if (!changes && own.some((operation) => operation !== 'CREATE')) {
      problems[`${at}.operations`] = 'is CREATE alone where the command does not update';
    }
  }
  return problems;
}

/** Problems of `relations` beside the models: path -> problem. */
function problemsOfRelatedModels({ modelCode, relations = [] }: CommandContent, after: Configuration): FieldErrors {
  const problems: FieldErrors = {};
  const own = after.find(MODEL, modelCode)?.fields;
  for (const [index, { code, modelCode: related, field, operations }] of relations.entries()) {
    const at = `content.relations.${index}`;
    if (own?.has(code) || RESERVED_FIELD_CODES.has(code)) {
      problems[`${at}.code`] = text('is a field of {model}', { model: modelCode });
    }
    const ofKey = problemOfPayloadKey(code);
    if (ofKey !== null) problems[`${at}.code`] = ofKey;
    const relation = after.find(MODEL, related)?.fields.get(field)?.content;
    // References tell of a model or a field that is not there.
    if (!relation) continue;
    if (relation.target !== modelCode) {
      problems[`${at}.field`] = text('is not a relation to {model}', { model: modelCode });
    } else if (relation.required && operations.includes('UNLINK')) {
      problems[`${at}.operations`] = 'has UNLINK, but the field is required: use DELETE';
    }
  }
  return problems;
}
