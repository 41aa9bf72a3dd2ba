import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { integer, MAP, nullable, oneOf, partial, text, textUpTo } from '../http/schema.ts';
import { OPERATIONS, type CommandContent, type Operation } from '../metadata/content.ts';
import type { Model } from '../metadata/model.ts';
import type { Permissions } from '../metadata/permissions.ts';
import type { PlatformCommand } from './platform-command.ts';
import { checkCreate, checkDeclared, checkUpdate } from '../records/payload.ts';

/** A command as it is asked for, checked. Spec: "Command request body". */
export interface CommandRequest {
  readonly operation: Operation;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly targetRecordId: string | null;
  /** Ours: refuse (409 VERSION) when the record is not at this version any more. */
  readonly expectedVersion: number | null;
  readonly idempotencyKey: string | null;
}

const MAX_KEY_LENGTH = 200;
const RECORD_PID = /^[0-9A-Za-z]{1,32}$/;
const VERSION_END = 2 ** 31;

/** The key of a repeated request, in the header or in the body. */
export const IDEMPOTENCY_KEY = textUpTo(MAX_KEY_LENGTH);
/** What of it a command needs, its definition says. Spec: "Command request body". */
export const COMMAND_BODY = partial({
  payload: { ...MAP, description: 'Field codes and values' },
  operationType: oneOf(OPERATIONS),
  targetRecordId: nullable(text({ pattern: RECORD_PID.source })),
  clientRequestId: nullable(IDEMPOTENCY_KEY),
  expectedVersion: nullable(integer(1, VERSION_END - 1)),
});
const KEYS = Object.keys(COMMAND_BODY.properties);

/**
 * Reads and checks the body of an execute request against its command. Spec: "Command rules" 1 to 4.
 * @param headerKey the header `X-Idempotent-Key`; it wins over `clientRequestId`
 * @throws VALIDATION_ERROR with everything that is wrong; FORBIDDEN for a field the caller may not write
 */
export function parseCommandRequest(
  command: CommandContent,
  model: Model,
  permissions: Permissions,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
): CommandRequest {
  const errors: FieldErrors = {};
  for (const key of Object.keys(body)) {
    if (!KEYS.includes(key)) errors[key] = `is not known here; a command takes ${KEYS.join(', ')}`;
  }
  const operation = parseOperation(command, body.operationType, errors);
  const request: CommandRequest = {
    operation,
    payload: parsePayload(operation, body.payload, errors),
    targetRecordId: parseTarget(operation, command, body.targetRecordId, errors),
    expectedVersion: parseExpectedVersion(operation, body.expectedVersion, errors),
    idempotencyKey: parseIdempotencyKey(headerKey, body, errors),
  };
  throwIfInvalid(errors);
  const payload = checkPayload(operation, command, model, permissions, request.payload, errors);
  throwIfInvalid(errors);
  return { ...request, payload };
}

/** Reads the body for a command of the platform: a payload and an idempotency key. @throws VALIDATION_ERROR */
export function parsePlatformRequest(
  command: PlatformCommand,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
): CommandRequest {
  const errors: FieldErrors = {};
  for (const key of Object.keys(body)) {
    if (key !== 'payload' && key !== 'clientRequestId') errors[key] = 'is not known here';
  }
  const payload = parsePayload('CREATE', body.payload, errors);
  const idempotencyKey = parseIdempotencyKey(headerKey, body, errors);
  throwIfInvalid(errors);
  command.check(payload);
  return { operation: 'CUSTOM', payload, targetRecordId: null, expectedVersion: null, idempotencyKey };
}

/** Without `operationType` a request creates (or runs a CUSTOM command): update and delete must say so. */
function parseOperation({ operations }: CommandContent, given: unknown, errors: FieldErrors): Operation {
  const assumed = operations.includes('CUSTOM') ? 'CUSTOM' : 'CREATE';
  if (given !== undefined && !OPERATIONS.includes(given as Operation)) {
    errors.operationType = `must be one of ${OPERATIONS.join(', ')}`;
    return assumed;
  }
  const operation = (given as Operation | undefined) ?? assumed;
  if (!operations.includes(operation)) {
    errors.operationType = `this command does ${operations.join(', ')}${given === undefined ? ': say which' : ''}`;
  }
  return operation;
}

function parsePayload(operation: Operation, payload: unknown, errors: FieldErrors): Record<string, unknown> {
  if (payload === undefined) {
    if (operation === 'CREATE' || operation === 'UPDATE') errors.payload = 'is required';
    return {};
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    errors.payload = 'must be an object of field codes';
    return {};
  }
  const size = Object.keys(payload).length;
  if (operation === 'UPDATE' && size === 0) errors.payload = 'must hold the fields to change';
  if (operation === 'DELETE' && size > 0) errors.payload = 'is not for a delete';
  return payload as Record<string, unknown>;
}

function parseTarget(
  operation: Operation,
  { target = false }: CommandContent,
  given: unknown,
  errors: FieldErrors,
): string | null {
  const needed = operation === 'CUSTOM' ? target : operation !== 'CREATE';
  if (given === undefined || given === null) {
    if (needed) errors.targetRecordId = 'is required';
    return null;
  }
  if (!needed) errors.targetRecordId = 'is not for this operation';
  else if (typeof given === 'string' && RECORD_PID.test(given)) return given;
  else errors.targetRecordId = 'must be the pid of a record';
  return null;
}

function parseExpectedVersion(operation: Operation, given: unknown, errors: FieldErrors): number | null {
  if (given === undefined || given === null) return null;
  if (operation === 'CREATE') errors.expectedVersion = 'is not for a create';
  else if (!Number.isInteger(given) || (given as number) < 1 || (given as number) >= VERSION_END) {
    errors.expectedVersion = 'must be a whole number from 1';
  }
  return given as number;
}

/** The header wins over `clientRequestId`. */
function parseIdempotencyKey(
  headerKey: string | undefined,
  { clientRequestId }: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): string | null {
  return headerKey === undefined
    ? parseKey('clientRequestId', clientRequestId, errors)
    : parseKey('X-Idempotent-Key', headerKey, errors);
}

function parseKey(name: string, given: unknown, errors: FieldErrors): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'string' && given.trim() !== '' && given.length <= MAX_KEY_LENGTH && !given.includes('\0')) {
    return given;
  }
  errors[name] = `must be a text of 1 to ${MAX_KEY_LENGTH} characters`;
  return null;
}

/** The payload against the fields it is for; only CUSTOM commands get defaults here, records get theirs when written. */
function checkPayload(
  operation: Operation,
  command: CommandContent,
  model: Model,
  permissions: Permissions,
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): Readonly<Record<string, unknown>> {
  if (operation === 'CREATE') checkCreate(model, permissions, payload, errors);
  if (operation === 'UPDATE') checkUpdate(model, permissions, payload, errors);
  return operation === 'CUSTOM' ? checkDeclared(command.payload ?? [], payload, errors) : payload;
}
