import { newPid } from '../../foundation/database/pid.ts';
import type { Database, Transaction } from '../../foundation/database/pool.ts';
import { isConnectionFailure, isTransient, translate } from '../../foundation/database/failures.ts';
import { ApplicationError, throwIfInvalid, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { localizedError, toStoredError } from '../../foundation/errors/failure.ts';
import { type Message, text } from '../../foundation/i18n/text.ts';
import { actorOf, authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { ALL_PERMISSIONS, BUILT_IN_ROLES } from '../../platform/metadata/permissions/permissions.ts';
import { PERMISSION } from '../../platform/metadata/permissions/permission-type.ts';
import type { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';
import { checkCreate } from '../../platform/records/writing/payload.ts';
import { RecordWriter } from '../../platform/records/writing/record-writer.ts';
import { parseCommandRequest, requireExpectedVersion } from '../commands/request/command-request.ts';
import { COMMAND } from '../commands/definition/command-type.ts';
import { beginDryRun } from '../commands/performing/dry-run.ts';
import { performCommand } from '../commands/performing/perform-command.ts';
import { givenIn, type ExampleContent } from '../commands/definition/example-content.ts';
import { EXAMPLES_MS } from '../commands/commands.limits.ts';

export const EXAMPLE_STATUSES = ['PASSED', 'FAILED', 'SKIPPED'] as const;

/** The outcome of an example. */
export interface ExampleResult {
  readonly name: string;
  readonly status: (typeof EXAMPLE_STATUSES)[number];
  readonly differences: readonly Difference[];
  /** What the command failed with, whether expected or not; why the example was skipped. */
  readonly error: ReturnType<typeof localizedError>;
}

/** No tenant has this id, so examples find the records that they give, and no others. */
const EMPTY_TENANT = '0';
const DEFAULT_ROLE = 'ADMIN';
/** SQLSTATEs of a table, and of a column, that a promotion would still have to make. */
const NOT_BUILT = new Set(['42P01', '42703']);

/**
 * Runs the examples of a command in sequence, each in a transaction that is rolled back.
 * @param metadata where the command is found, as it is or would be
 * @param until when those that are left are skipped, in milliseconds since 1970
 * @throws SERVICE_UNAVAILABLE
 */
export async function runExamples(
  database: Database,
  metadata: Snapshot,
  commandCode: string,
  until = Date.now() + EXAMPLES_MS,
): Promise<ExampleResult[]> {
  const { examples = [] } = metadata.get(COMMAND, commandCode);
  const results: ExampleResult[] = [];
  for (const example of examples) {
    if (Date.now() < until) results.push(await runExample(database, metadata, commandCode, example));
    else results.push(skipped(example, 'There was no time left for it'));
  }
  return results;
}

async function runExample(
  database: Database,
  metadata: Snapshot,
  commandCode: string,
  example: ExampleContent,
): Promise<ExampleResult> {
  const { name, as = DEFAULT_ROLE, expect } = example;
  const identity = { userId: '0', userPid: newPid(), username: 'example', tenantId: EMPTY_TENANT, roles: [as] };
  const actor = actorOf({ ...identity, keyMadeBy: null }, metadata);
  const names = new Map([['$user.pid', actor.userPid]]);
  try {
    if (!BUILT_IN_ROLES.has(as) && !metadata.find(PERMISSION, as)) throw failure(text('There is no role {as}', { as }));
    const { result, changes } = await database.rehearse(async (transaction) => {
      await beginDryRun(transaction, actor.tenantId);
      await insertGiven(transaction, actor, example, names);
      return perform(transaction, actor, commandCode, example, names);
    });
    const actual = { result, changes };
    const { error, ...expected } = replaced(expect, names) as ExampleContent['expect'];
    const differences = error
      ? [{ path: 'error', expected: error, actual: null }]
      : Object.entries(expected).flatMap(([key, value]) => differencesOf(value, actual[key as 'result'], key));
    return { name, status: differences.length === 0 ? 'PASSED' : 'FAILED', differences, error: null };
  } catch (thrown) {
    // It says nothing about the command.
    if (isConnectionFailure(thrown)) throw thrown;
    const state = String((thrown as { code?: unknown } | null)?.code);
    if (NOT_BUILT.has(state)) return skipped(example, 'The tables of its models are still to be built');
    return failed(example, thrown);
  }
}

async function perform(
  transaction: Transaction,
  actor: Actor,
  commandCode: string,
  { payload, operationType, targetRecordId, matchOn, expectedVersion }: ExampleContent,
  names: ReadonlyMap<string, string>,
) {
  authorize(actor, permissionCode.commandExecute(commandCode));
  const command = actor.metadata.get(COMMAND, commandCode);
  const asked = { payload, operationType, targetRecordId, matchOn, expectedVersion };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  const body = replaced(Object.fromEntries(given), names) as Record<string, unknown>;
  const request = parseCommandRequest(command, actor, body, undefined);
  requireExpectedVersion(actor.metadata.model(command.modelCode), request);
  return performCommand(transaction, actor, { ...request, commandCode });
}

/** Creates the records that an example starts from, past rules and permissions. */
async function insertGiven(
  transaction: Transaction,
  actor: Actor,
  { given = [] }: ExampleContent,
  names: Map<string, string>,
): Promise<void> {
  const writer = new RecordWriter(transaction, actor);
  for (const { id, modelCode, values } of given) {
    const model = actor.metadata.model(modelCode);
    const errors: FieldErrors = {};
    const checked = checkCreate(model, ALL_PERMISSIONS, replaced(values, names) as Record<string, unknown>, errors);
    throwIfInvalid(
      Object.fromEntries(Object.entries(errors).map(([code, problem]) => [`given.${id}.${code}`, problem])),
    );
    const { pid } = await writer.create(model, checked);
    names.set(`$given.${id}`, String(pid));
  }
}

/** A value with the pids of the records that it names. */
function replaced(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? (givenIn(value) === null ? value : null);
  if (Array.isArray(value)) return value.map((item) => replaced(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part, names)]));
}

function failed({ name, expect }: ExampleContent, thrown: unknown): ExampleResult {
  const known = translate(thrown);
  const error = known instanceof ApplicationError ? known : new ApplicationError('INTERNAL_ERROR', { cause: thrown });
  const told = localizedError(toStoredError(error));
  const { code, data } = error;
  const { field, ...expected } = expect.error ?? {};
  const actual = { code, ...(data?.reason !== undefined && { reason: data.reason }) };
  const fields = Object.keys(data?.fieldErrors ?? {});
  const differences: Difference[] = expect.error
    ? differencesOf(expected, actual, 'error')
    : [{ path: 'error', expected: null, actual: { ...actual, ...(fields.length > 0 && { fields }) } }];
  if (field !== undefined && !fields.includes(field)) {
    differences.push({ path: 'error.field', expected: field, actual: fields });
  }
  const isPassed = differences.length === 0 && !isTransient(thrown);
  return { name, status: isPassed ? 'PASSED' : 'FAILED', differences, error: told };
}

function skipped({ name }: ExampleContent, why: Message): ExampleResult {
  return { name, status: 'SKIPPED', differences: [], error: localizedError(toStoredError(failure(why))) };
}

function failure(message: ApplicationError['text']): ApplicationError {
  return new ApplicationError('CONFLICT', { message, data: { reason: 'EXAMPLE' } });
}

/** An expected value and the actual one. */
export interface Difference {
  /** Such as `result.lead.status`. */
  readonly path: string;
  readonly expected: unknown;
  /** Absent if there is no value. */
  readonly actual?: unknown;
}

/**
 * Where a value does not hold what is expected. An object may have more keys than expected, a list has as
 * many items. A number may be expected of a decimal, which JSON has as a text.
 */
export function differencesOf(expected: unknown, actual: unknown, path: string): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ path, expected, actual }];
    if (actual.length !== expected.length) {
      return [{ path: `${path}.length`, expected: expected.length, actual: actual.length }];
    }
    return expected.flatMap((item, index) => differencesOf(item, actual[index], `${path}[${index}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [{ path, expected, actual }];
    return Object.entries(expected).flatMap(([key, value]) =>
      differencesOf(value, Object.hasOwn(actual, key) ? actual[key as never] : undefined, `${path}.${key}`),
    );
  }
  const isEqual = expected === actual || (typeof expected === 'number' && isNumber(actual, expected));
  // A key that has no value is as good as one that is null.
  return isEqual || (expected === null && actual === undefined) ? [] : [{ path, expected, actual }];
}

function isNumber(actual: unknown, expected: number): boolean {
  return typeof actual === 'string' && actual.trim() !== '' && Number(actual) === expected;
}
