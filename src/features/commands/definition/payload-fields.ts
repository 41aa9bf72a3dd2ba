import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { fieldAt, type FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { writableFields, type Model } from '../../../platform/metadata/models/model.ts';
import { toModel, type Configuration, type Reference } from '../../../platform/metadata/resources/resource-type.ts';
import {
  EVERY_FIELD,
  type CommandContent,
  type FieldList,
  type FieldsTaken,
  type Operation,
} from './command-content.ts';

const TAKING = ['CREATE', 'UPDATE', 'UPSERT'] as const;
type Taking = (typeof TAKING)[number];

/**
 * The codes of the model's fields that the payload of an operation may have; null for all of them. A command
 * with a transition takes those alone that it names.
 */
export function fieldsTaken({ fields, transition }: CommandContent, operation: Operation): readonly string[] | null {
  const named = listOf(fields, operation);
  if (named === undefined) return transition ? [] : null;
  return named === EVERY_FIELD ? null : named;
}

function listOf(fields: FieldsTaken | undefined, operation: Operation): FieldList | undefined {
  return isPerOperation(fields) ? fields[operation as Taking] : fields;
}

function isPerOperation(fields: FieldsTaken | undefined): fields is Exclude<FieldsTaken, FieldList> {
  return typeof fields === 'object' && !Array.isArray(fields);
}

/** Whether a field of the model may stand in the payload of an operation. */
export function isTaken(command: CommandContent, operation: Operation, code: string): boolean {
  return fieldsTaken(command, operation)?.includes(code) !== false && command.transition?.field !== code;
}

/** The fields of a payload: those that a CUSTOM command declares, or the model's that the command takes. */
export function payloadFields(command: CommandContent, operation: Operation, model: Model): FieldContent[] {
  if (operation === 'CUSTOM') return command.payload ?? [];
  return writableFields(model).filter(({ code }) => isTaken(command, operation, code));
}

/** The same for all operations of a command, each field once. */
export function payloadFieldsOfAll(command: CommandContent, model: Model): FieldContent[] {
  return [
    ...new Set(
      command.operations.flatMap((operation) =>
        operation === 'DELETE' ? [] : payloadFields(command, operation, model),
      ),
    ),
  ];
}

/** The field at a path of a payload. */
export function payloadFieldAt(command: CommandContent, model: Model, path: string): FieldContent | undefined {
  return fieldAt(payloadFieldsOfAll(command, model), path);
}

/** Whether an operation of the command takes every field, and its author has not said so. */
export function takesUnnamedFields(command: CommandContent): boolean {
  return takingOf(command).some(
    (operation) => listOf(command.fields, operation) === undefined && fieldsTaken(command, operation) === null,
  );
}

/** The operations of a command whose payload has fields of the model. */
function takingOf({ operations }: CommandContent): Taking[] {
  return TAKING.filter((operation) => operations.includes(operation));
}

/** The lists in `fields`, with their paths and operations. */
function listsIn(command: CommandContent): [path: string, codes: readonly string[], operations: Taking[]][] {
  const { fields } = command;
  if (fields === undefined || fields === EVERY_FIELD) return [];
  if (!isPerOperation(fields)) return [['fields', fields, takingOf(command)]];
  return TAKING.flatMap((operation): ReturnType<typeof listsIn> => {
    const codes = fields[operation];
    return codes === undefined || codes === EVERY_FIELD ? [] : [[`fields.${operation}`, codes, [operation]]];
  });
}

export function referencesOfFields(command: CommandContent): Reference[] {
  return listsIn(command).flatMap(([path, codes]) =>
    codes.map((code, index) => ({ ...toModel(`${path}.${index}`, command.modelCode, code), isWritten: true })),
  );
}

/** Problems of `fields` by itself: path -> problem. */
export function problemsOfFieldsTaken(command: CommandContent): FieldErrors {
  const { fields, operations, transition } = command;
  if (fields === undefined) return {};
  if (takingOf(command).length === 0) {
    return { 'content.fields': 'is for commands that do CREATE, UPDATE or UPSERT' };
  }
  const problems: FieldErrors = {};
  if (isPerOperation(fields)) {
    for (const operation of Object.keys(fields) as Taking[]) {
      if (!operations.includes(operation))
        problems[`content.fields.${operation}`] = 'is not an operation of the command';
    }
  }
  for (const [path, codes, of] of listsIn(command)) {
    // An update changes something.
    if (codes.length === 0 && of.includes('UPDATE') && !transition && !command.relations) {
      problems[`content.${path}`] = 'must not be empty';
    }
    const index = transition ? codes.indexOf(transition.field) : -1;
    if (index >= 0) problems[`content.${path}.${index}`] = 'is set by the command';
  }
  return problems;
}

/** Where a refusal may be told beside fields. */
const NAMED_IN_REFUSALS = ['payload', 'targetRecordId', 'expectedVersion', 'matchOn'];

/** What a refusal of the command may be told at. */
export function namedInRefusals({ payload = [], relations = [] }: CommandContent, model: Model): string[] {
  return [...model.fields.keys(), ...[...payload, ...relations].map(({ code }) => code), ...NAMED_IN_REFUSALS];
}

/** Problems of the fields that rules and `require` steps are told at: path -> problem. */
export function problemsOfRefusedFields(command: CommandContent, after: Configuration): FieldErrors {
  const model = after.find(MODEL, command.modelCode);
  if (!model) return {};
  const { rules = [], steps = [] } = command;
  const named = [
    ...rules.map((rule, index) => [`rules.${index}.field`, rule.field] as const),
    ...steps.flatMap((step, index) =>
      isRequire(step) ? (step.fields ?? []).map((field, at) => [`steps.${index}.fields.${at}`, field] as const) : [],
    ),
  ];
  const known = namedInRefusals(command, model);
  return Object.fromEntries(
    named.flatMap(([path, field]) => {
      const [first = ''] = field?.split('.') ?? [];
      if (field === undefined || known.includes(first)) return [];
      return [[`content.${path}`, withSuggestion('is not a field of this command', first, known)]];
    }),
  );
}

function isRequire(step: object): step is { readonly fields?: readonly string[] } {
  return 'type' in step && step.type === 'require';
}

/** Problems of `fields` beside the model: what the payload must have, and may not. Path -> problem. */
export function problemsOfRequired(command: CommandContent, after: Configuration): FieldErrors {
  const model = after.find(MODEL, command.modelCode);
  const problems: FieldErrors = {};
  for (const [path, codes, operations] of model ? listsIn(command) : []) {
    const creates = operations.includes('CREATE') || operations.includes('UPSERT');
    const required = creates
      ? writableFields(model as Model).filter((field) => field.required && field.default === undefined)
      : [];
    const matched = operations.includes('UPSERT') ? (command.matchOn ?? []) : [];
    const missing = [...required.map(({ code }) => code), ...matched].filter((code) => !codes.includes(code));
    if (missing.length > 0)
      problems[`content.${path}`] = text('lacks {fields}, which every new record needs', {
        fields: [...new Set(missing)].join(', '),
      });
  }
  return problems;
}
