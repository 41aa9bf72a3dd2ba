import { throwIfInvalid, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text as message, type Message } from '../../foundation/i18n/text.ts';
import { textOf } from '../../foundation/validation/formats.ts';
import { validFields, validate } from '../../foundation/validation/validate.ts';
import {
  BOOLEAN,
  described,
  integer,
  MAP,
  nullable,
  oneOf,
  partial,
  withMessage,
  text,
  type Schema,
} from '../../foundation/validation/schema.ts';
import { OPERATIONS, type CommandContent, type Operation } from './command-content.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { Permissions } from '../../platform/metadata/permissions/permissions.ts';
import type { PlatformCommand } from './platform-command.ts';
import { checkDeclaredFields } from '../../platform/metadata/field-types/field-value.ts';
import { checkCreate, checkUpdate } from '../records/payload.ts';
import { MAX_KEY_LENGTH } from './commands.limits.ts';

/** A command as it is asked for, checked. Spec: "Command request body". */
export interface CommandRequest {
  readonly operation: Operation;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly targetRecordId: string | null;
  /** Ours: refuse (409 VERSION) when the record is not at this version any more. */
  readonly expectedVersion: number | null;
  readonly idempotencyKey: string | null;
}

const MAX_VERSION = 2 ** 31 - 1;

const KEY_PROBLEM = message('must be a text of {min} to {max} characters', { min: 1, max: MAX_KEY_LENGTH });

/** The key of a repeated request, in the header or in the body. */
export const IDEMPOTENCY_KEY = withMessage(
  KEY_PROBLEM,
  textOf('idempotency-key', problemOfIdempotencyKey, { minLength: 1, maxLength: MAX_KEY_LENGTH }),
);
const PAYLOAD = withMessage('must be an object of field codes', { ...MAP, description: 'Field codes and values' });
const KEYED = { payload: PAYLOAD, clientRequestId: nullable(IDEMPOTENCY_KEY) };
const ASKED = {
  ...KEYED,
  operationType: oneOf(OPERATIONS),
  targetRecordId: nullable(withMessage('must be the pid of a record', text({ pattern: '^[0-9A-Za-z]{1,32}$' }))),
  expectedVersion: nullable(integer(1, MAX_VERSION)),
};
const DRY_RUN = described(
  'Tells what would happen, as `{result, changes, events, subscriptions}`, and undoes it',
  BOOLEAN,
);
/** What workers have commands do. What of it a command needs, its definition says. */
const COMMAND_BODY = partial(ASKED);
/** That of an HTTP request. Spec: "Command request body". */
export const EXECUTE_BODY = partial({ ...ASKED, dryRun: DRY_RUN });
const PLATFORM_BODY = partial({ ...KEYED, dryRun: DRY_RUN });

type Payload = Readonly<Record<string, unknown>>;

interface CommandBody {
  readonly payload: Payload;
  readonly operationType: Operation;
  readonly targetRecordId: string | null;
  readonly clientRequestId: string | null;
  readonly expectedVersion: number | null;
}

/**
 * Checks the body of an execute request against its schema and its command. Spec: "Command rules" 1 to 4.
 * @param headerKey the header `X-Idempotent-Key`; it wins over `clientRequestId`
 * @param schema that of an HTTP request; by default what workers have commands do
 * @throws VALIDATION_ERROR with everything that is wrong; FORBIDDEN for a field the caller may not write
 */
export function parseCommandRequest(
  command: CommandContent,
  model: Model,
  permissions: Permissions,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
  schema: Schema = COMMAND_BODY,
): CommandRequest {
  const errors = validate(schema, body);
  const good = validFields<CommandBody>(body, errors);
  const operation = operationOf(command, good.operationType, errors);
  // What else is needed depends on the operation: guesses would only be more errors.
  if (errors.operationType) throwIfInvalid(errors);
  const request: CommandRequest = {
    operation,
    payload: payloadOf(operation, command, good.payload, errors),
    targetRecordId: targetOf(operation, command, good.targetRecordId ?? null, errors),
    expectedVersion: good.expectedVersion ?? null,
    idempotencyKey: idempotencyKeyOf(headerKey, good, errors),
  };
  if (operation === 'CREATE' && request.expectedVersion !== null) errors.expectedVersion = 'is not for a create';
  throwIfInvalid(errors);
  const payload = checkPayload(operation, command, model, permissions, request.payload, errors);
  throwIfInvalid(errors);
  return { ...request, payload };
}

/** The same for a command of the platform: a payload and an idempotency key. @throws VALIDATION_ERROR */
export function parsePlatformRequest(
  command: PlatformCommand,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
): CommandRequest {
  const errors = validate(PLATFORM_BODY, body);
  const good = validFields<CommandBody>(body, errors);
  const payload = payloadOf('CREATE', {}, good.payload, errors);
  const idempotencyKey = idempotencyKeyOf(headerKey, good, errors);
  if (body.dryRun === true) errors.dryRun = 'is not for commands of the platform';
  throwIfInvalid(errors);
  command.check(payload);
  return { operation: 'CUSTOM', payload, targetRecordId: null, expectedVersion: null, idempotencyKey };
}

/**
 * Without `operationType` a request is for the command's only operation, else it creates: others must say so.
 */
function operationOf({ operations }: CommandContent, given: Operation | undefined, errors: FieldErrors): Operation {
  const operation = given ?? (operations.length === 1 ? operations[0] : undefined) ?? 'CREATE';
  if (!operations.includes(operation)) {
    const values = { operations: operations.join(', ') };
    errors.operationType ??=
      given === undefined
        ? message('this command does {operations}: say which', values)
        : message('this command does {operations}', values);
  }
  return operation;
}

function payloadOf(
  operation: Operation,
  { transition }: Pick<CommandContent, 'transition'>,
  payload: Payload | undefined,
  errors: FieldErrors,
): Payload {
  const isNeeded = operation === 'CREATE' || (operation === 'UPDATE' && !transition);
  if (payload === undefined) {
    if (isNeeded) errors.payload ??= 'is required';
    return {};
  }
  const size = Object.keys(payload).length;
  if (operation === 'UPDATE' && isNeeded && size === 0) errors.payload = 'must hold the fields to change';
  if (operation === 'DELETE' && size > 0) errors.payload = 'is not for a delete';
  return payload;
}

function targetOf(
  operation: Operation,
  { target = false }: CommandContent,
  given: string | null,
  errors: FieldErrors,
): string | null {
  const needed = operation === 'CUSTOM' ? target : operation !== 'CREATE';
  if (needed && given === null) errors.targetRecordId ??= 'is required';
  if (!needed && given !== null) errors.targetRecordId = 'is not for this operation';
  return given;
}

/** The header wins over `clientRequestId`. */
function idempotencyKeyOf(
  headerKey: string | undefined,
  { clientRequestId = null }: Partial<CommandBody>,
  errors: FieldErrors,
): string | null {
  if (headerKey === undefined) return clientRequestId;
  const problem = problemOfIdempotencyKey(headerKey);
  if (problem !== null) errors['X-Idempotent-Key'] = problem;
  return headerKey;
}

/** What is wrong with an idempotency key, or null. */
export function problemOfIdempotencyKey(key: string): Message | null {
  const isKey = key.trim() !== '' && key.length <= MAX_KEY_LENGTH && !key.includes('\0');
  return isKey ? null : KEY_PROBLEM;
}

/**
 * The payload against the fields it is for; only CUSTOM commands get defaults here, records get theirs when
 * written.
 */
function checkPayload(
  operation: Operation,
  command: CommandContent,
  model: Model,
  permissions: Permissions,
  payload: Payload,
  errors: FieldErrors,
): Payload {
  if (operation === 'CREATE') checkCreate(model, permissions, payload, errors);
  if (operation === 'UPDATE') {
    checkUpdate(model, permissions, payload, errors);
    const { field } = command.transition ?? {};
    if (field !== undefined && Object.hasOwn(payload, field)) errors[field] = 'is set by the command';
  }
  if (operation !== 'CUSTOM') return payload;
  return checkDeclaredFields(command.payload ?? [], payload, 'is not a field of this command', errors);
}
