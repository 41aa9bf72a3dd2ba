import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { CommandContent, Operation } from './command-content.ts';
import { payloadFields } from './payload-fields.ts';

/** What is known of a request when it is written down, without its values. */
interface RequestShape {
  readonly operationType?: Operation | undefined;
  readonly hasTarget: boolean;
  /** The keys of the payload. */
  readonly keys: readonly string[];
}

type Problem = readonly [path: 'operationType' | 'target' | 'payload' | `payload.${string}`, problem: Message];

/** The operation of a request: without `operationType` the command's only one, else CREATE. */
export function operationMeant({ operations }: CommandContent, given: Operation | undefined): Operation {
  return given ?? (operations.length === 1 ? operations[0] : undefined) ?? 'CREATE';
}

/** Whether an operation works on a record that the request names. */
export function needsTarget(operation: Operation, { target = false }: CommandContent): boolean {
  return operation === 'CUSTOM' ? target : operation === 'UPDATE' || operation === 'DELETE';
}

/** Problems of a request that its command would refuse, whatever values it has. */
export function problemsOfRequest(command: CommandContent, model: Model, request: RequestShape): Problem[] {
  const operation = operationMeant(command, request.operationType);
  const ofOperation = problemOfOperation(command, operation, request.operationType);
  if (ofOperation) return [['operationType', ofOperation]];
  return [...problemsOfTarget(command, operation, request), ...problemsOfKeys(command, operation, model, request.keys)];
}

function problemOfOperation({ operations }: CommandContent, meant: Operation, given: string | undefined) {
  if (operations.includes(meant)) return null;
  const names = { operations: operations.join(', ') };
  if (given === undefined) return text('this command does {operations}: say which', names);
  return withSuggestion(text('this command does {operations}', names), given, operations);
}

function problemsOfTarget(command: CommandContent, operation: Operation, { hasTarget }: RequestShape): Problem[] {
  if (needsTarget(operation, command) === hasTarget) return [];
  return [['target', hasTarget ? 'is not for this operation' : 'is required']];
}

function problemsOfKeys(
  command: CommandContent,
  operation: Operation,
  model: Model,
  keys: readonly string[],
): Problem[] {
  const { transition, relations = [], matchOn = [] } = command;
  if (operation === 'DELETE') return keys.length > 0 ? [['payload', 'is not for a delete']] : [];
  if (operation === 'UPDATE' && !transition && keys.length === 0)
    return [['payload', 'must hold the fields to change']];
  const fields = payloadFields(command, operation, model);
  const known = [...fields, ...relations].map(({ code }) => code);
  const isWhole = operation === 'CREATE' || operation === 'CUSTOM';
  const required = fields.filter((field) => isWhole && field.required && field.default === undefined);
  const matched = operation === 'UPSERT' && matchOn.length === 1 ? matchOn : [];
  const needed = new Set([...required.map(({ code }) => code), ...matched]);
  return [
    ...keys
      .filter((key) => !known.includes(key))
      .map((key): Problem => [`payload.${key}`, withSuggestion('is not a field of this command', key, known)]),
    ...[...needed].filter((code) => !keys.includes(code)).map((code): Problem => [`payload.${code}`, 'is required']),
  ];
}
