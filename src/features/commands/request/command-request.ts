import { isLongerThan } from '../../../foundation/validation/text-length.ts';
import { throwIfInvalid, ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text as message, type Message } from '../../../foundation/i18n/text.ts';
import { textOf } from '../../../foundation/validation/formats.ts';
import { validFields, validate } from '../../../foundation/validation/validate.ts';
import {
  BOOLEAN,
  described,
  either,
  list,
  MAP,
  nullable,
  oneOf,
  partial,
  text,
  withMessage,
  type Schema,
  VERSION,
} from '../../../foundation/validation/schema.ts';
import { OPERATIONS, type CommandContent, type Operation } from '../definition/command-content.ts';
import { matchOf, matchValues } from '../definition/match-on.ts';
import { needsTarget, operationMeant } from '../definition/request-problems.ts';
import type { PlatformCommand } from './platform-command.ts';
import { withDefaultValue } from '../../../platform/metadata/field-types/default-variables.ts';
import { checkDeclaredFields } from '../../../platform/metadata/field-types/field-value.ts';
import { requireVersion } from '../../../platform/records/writing/payload.ts';
import { MAX_KEY_LENGTH } from '../commands.limits.ts';
import { ownValues, RECORD_PID, relatedWrites, type PayloadWriter } from './related-payload.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { strongETag } from '../../../foundation/http/reply.ts';
import { canonicalHash } from '../../../foundation/validation/canonical-json.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { ExecutedOperation } from '../executions/execution.entity.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';

/** A command as it is asked for, checked. Spec: "Command request body". */
export interface CommandRequest {
  readonly operation: Operation;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly targetRecordId: string | null;
  /** The fields by which an UPSERT finds its record. */
  readonly matchOn: readonly string[] | null;
  /** Ours: refuse (409 VERSION) when the record is not at this version any more. */
  readonly expectedVersion: number | null;
  readonly idempotencyKey: string | null;
}

const KEY_PROBLEM = message('must be a text of {min} to {max} characters', { min: 1, max: MAX_KEY_LENGTH });

/** The key of a repeated request, in the header or in the body. */
export const IDEMPOTENCY_KEY = withMessage(
  KEY_PROBLEM,
  textOf('idempotency-key', problemOfIdempotencyKey, { minLength: 1, maxLength: MAX_KEY_LENGTH }),
);
const PAYLOAD = withMessage('must be an object of field codes', { ...MAP, description: 'Field codes and values' });
const KEYED = { payload: PAYLOAD, clientRequestId: nullable(IDEMPOTENCY_KEY) };
/** The keys of a request for a command of the configuration. */
export const REQUEST_KEYS = {
  ...KEYED,
  operationType: oneOf(OPERATIONS),
  targetRecordId: nullable(RECORD_PID),
  matchOn: nullable(
    described(
      'For UPSERT: one or more of the fields that the command allows',
      either(text({ maxLength: 48 }), list(text({ maxLength: 48 }), { minItems: 1, maxItems: 20 })),
    ),
  ),
  expectedVersion: nullable(VERSION),
};
export const DRY_RUN = described(
  'Tells what would happen, as `{result, changes, events, subscriptions}`, and undoes it',
  BOOLEAN,
);
/** Body of a command that a worker executes. Required keys depend on the command definition. */
const COMMAND_BODY = partial(REQUEST_KEYS);
/** Body of an HTTP request. Spec: "Command request body". */
export const EXECUTE_BODY = partial({ ...REQUEST_KEYS, dryRun: DRY_RUN });
const PLATFORM_BODY = partial({ ...KEYED, dryRun: DRY_RUN });

type Payload = Readonly<Record<string, unknown>>;

interface CommandBody {
  readonly payload: Payload;
  readonly operationType: Operation;
  readonly targetRecordId: string | null;
  readonly matchOn: string | readonly string[] | null;
  readonly clientRequestId: string | null;
  readonly expectedVersion: number | null;
}

/**
 * Checks the body of an execute request against its schema and its command. Spec: "Command rules" 1 to 4.
 * @param headerKey the header `X-Idempotent-Key`; it wins over `clientRequestId`
 * @param schema that of an HTTP request; by default what workers have commands do
 * @param ofHeaders what is wrong with other headers
 * @throws VALIDATION_ERROR with everything that is wrong; FORBIDDEN for a field the caller may not write
 */
export function parseCommandRequest(
  command: CommandContent,
  writer: PayloadWriter,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
  schema: Schema = COMMAND_BODY,
  ofHeaders: FieldErrors = {},
): CommandRequest {
  const { request, errors, payloadErrors } = readCommandRequest(command, writer, body, headerKey, schema);
  throwIfInvalid({ ...payloadErrors, ...errors, ...ofHeaders });
  return request;
}

/** A request, with what is wrong at the keys of its body and at the fields of its payload. */
interface ReadRequest {
  readonly request: CommandRequest;
  readonly errors: FieldErrors;
  readonly payloadErrors: FieldErrors;
}

/** As `parseCommandRequest`. @throws FORBIDDEN */
export function readCommandRequest(
  command: CommandContent,
  writer: PayloadWriter,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
  schema: Schema = COMMAND_BODY,
): ReadRequest {
  const errors = validate(schema, body);
  const request = readEnvelope(command, validFields<CommandBody>(body, errors), headerKey, errors);
  const payloadErrors: FieldErrors = {};
  // What a payload must hold depends on the operation.
  if (errors.operationType ?? errors.payload) return { request, errors, payloadErrors };
  const payload = checkPayload(command, writer, request, payloadErrors);
  return { request: { ...request, payload }, errors, payloadErrors };
}

function readEnvelope(
  command: CommandContent,
  good: Partial<CommandBody>,
  headerKey: string | undefined,
  errors: FieldErrors,
): CommandRequest {
  const operation = operationOf(command, good, errors);
  const idempotencyKey = idempotencyKeyOf(headerKey, good, errors);
  // What else is needed depends on the operation: guesses would only be more errors.
  if (errors.operationType) {
    return { operation, payload: {}, targetRecordId: null, matchOn: null, expectedVersion: null, idempotencyKey };
  }
  const request: CommandRequest = {
    operation,
    payload: payloadOf(operation, command, good.payload, errors),
    targetRecordId: targetOf(operation, command, good.targetRecordId ?? null, errors),
    matchOn: matchOf(operation, command, good.matchOn ?? null, errors),
    expectedVersion: good.expectedVersion ?? null,
    idempotencyKey,
  };
  if (operation === 'CREATE' && request.expectedVersion !== null) errors.expectedVersion = 'is not for a create';
  return request;
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
  const none = { targetRecordId: null, matchOn: null, expectedVersion: null };
  return { operation: 'CUSTOM', payload, ...none, idempotencyKey };
}

/**
 * Without `operationType` a request is for the command's only operation, else it creates: others must say so.
 */
function operationOf(
  command: CommandContent,
  { operationType: given, targetRecordId }: Partial<CommandBody>,
  errors: FieldErrors,
): Operation {
  const { operations } = command;
  const operation = operationMeant(command, given);
  if (!operations.includes(operation)) {
    const values = { operations: operations.join(', ') };
    errors.operationType ??=
      given === undefined
        ? message('this command does {operations}: say which', values)
        : message('this command does {operations}', values);
  }
  if (given === undefined && operation === 'CREATE' && typeof targetRecordId === 'string') {
    const [changing, other] = operations.filter((one) => one === 'UPDATE' || one === 'DELETE');
    if (other !== undefined) errors.operationType ??= 'UPDATE or DELETE is needed for targetRecordId';
    else if (changing)
      errors.operationType ??= message('{operation} is needed for targetRecordId', { operation: changing });
  }
  return operation;
}

function payloadOf(
  operation: Operation,
  { transition }: Pick<CommandContent, 'transition'>,
  payload: Payload | undefined,
  errors: FieldErrors,
): Payload {
  const isNeeded = operation === 'CREATE' || operation === 'UPSERT' || (operation === 'UPDATE' && !transition);
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
  command: CommandContent,
  given: string | null,
  errors: FieldErrors,
): string | null {
  const needed = needsTarget(operation, command);
  if (needed && given === null) errors.targetRecordId ??= 'is required';
  if (!needed && given !== null) errors.targetRecordId = 'is not for this operation';
  return given;
}

/** The header wins over `clientRequestId`. */
export function idempotencyKeyOf(
  headerKey: string | undefined,
  { clientRequestId = null }: Partial<CommandBody>,
  errors: FieldErrors,
): string | null {
  if (headerKey === undefined) return clientRequestId;
  const problem = problemOfIdempotencyKey(headerKey);
  if (problem !== null) errors['X-Idempotent-Key'] = problem;
  return headerKey;
}

/** The problem of an idempotency key; null if none. */
export function problemOfIdempotencyKey(key: string): Message | null {
  const isKey = key.trim() !== '' && !isLongerThan(key, MAX_KEY_LENGTH) && !key.includes('\0');
  return isKey ? null : KEY_PROBLEM;
}

/**
 * The payload against the fields it is for; only CUSTOM commands get defaults here, records get theirs when
 * written.
 * @param errors by the codes of fields
 * @throws FORBIDDEN for a field the caller may not write
 */
function checkPayload(
  command: CommandContent,
  writer: PayloadWriter,
  { operation, payload, matchOn }: CommandRequest,
  errors: FieldErrors,
): Payload {
  if (matchOn) matchValues(writer.metadata.model(command.modelCode), writer.permissions, matchOn, payload, errors);
  // Whether an UPSERT creates, and so needs more, is known when it is executed.
  if (operation !== 'CUSTOM' && operation !== 'DELETE')
    ownValues(command, operation, operation === 'CREATE', payload, writer, errors);
  relatedWrites(command, operation, payload, writer, errors);
  if (operation !== 'CUSTOM') return payload;
  const fields = (command.payload ?? []).map((field) => withDefaultValue(field, writer));
  return checkDeclaredFields(fields, payload, 'is not a field of this command', errors);
}

/** An execution that is not stored yet, for a request that has been checked. */
export function newExecution(
  actor: Actor,
  commandCode: string,
  request: Omit<CommandRequest, 'operation'> & { readonly operation: ExecutedOperation },
  traceId: string,
  runPid: string | null = null,
): NewExecution {
  const { operation, payload, targetRecordId, matchOn, expectedVersion, idempotencyKey } = request;
  return {
    pid: newPid(),
    environment: actor.metadata.environment,
    tenantId: actor.tenantId,
    userId: actor.userId,
    userPid: actor.userPid,
    username: actor.username,
    keyMadeBy: actor.keyMadeBy ?? null,
    roles: [...actor.roles],
    commandCode,
    operation,
    targetRecordId,
    expectedVersion,
    matchOn: matchOn && [...matchOn],
    metadataVersion: actor.metadata.version,
    payload: { ...payload },
    idempotencyKey,
    // The same body with its keys in another order is the same request.
    requestHash: canonicalHash([operation, targetRecordId, expectedVersion, payload, ...(matchOn ?? [])]),
    traceId,
    runPid,
    nodePid: null,
  };
}

const ETAG = /^"(\d{1,9})"$/;

/**
 * The body of a request whose header `If-Match` says from which version of the record it starts: the ETag of
 * its detail. `*` names none.
 */
export function withIfMatch(
  header: string | undefined,
  body: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): Readonly<Record<string, unknown>> {
  const given = header?.trim();
  if (given === undefined || given === '*') return body;
  const version = ETAG.exec(strongETag(given))?.[1];
  if (version === undefined) {
    errors['If-Match'] = 'must be the ETag of a detail, such as "7", or *';
    return body;
  }
  const expectedVersion = Number(version);
  if (typeof body.expectedVersion === 'number' && body.expectedVersion !== expectedVersion) {
    errors['If-Match'] = message('names another version than {key}', { key: 'expectedVersion' });
  }
  return { ...body, expectedVersion };
}

/** @throws PRECONDITION_REQUIRED if the model requires the version that a change starts from */
export function requireExpectedVersion(
  model: Model,
  { operation, expectedVersion }: Pick<CommandRequest, 'operation' | 'expectedVersion'>,
): void {
  if (operation === 'UPDATE' || operation === 'DELETE') requireVersion(model, expectedVersion);
}

/** PRECONDITION_FAILED for a stale `If-Match`; any other failure unchanged. */
export function asPreconditionFailed(error: unknown): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'CONFLICT') return error;
  const { reason, ...data } = error.data ?? {};
  // The header is about the record, and not about related ones.
  if (reason !== 'VERSION' || data.path !== undefined) return error;
  const failed = new ApplicationError('PRECONDITION_FAILED', { message: error.text, data, cause: error });
  Object.assign(failed.headers, error.headers);
  return failed;
}
