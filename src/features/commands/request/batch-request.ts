import {
  ApplicationError,
  throwIfInvalid,
  validationError,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import {
  list,
  object,
  oneOf,
  partial,
  withDefault,
  described,
  type Static,
} from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import type { CommandContent } from '../definition/command-content.ts';
import {
  DRY_RUN,
  idempotencyKeyOf,
  readCommandRequest,
  REQUEST_KEYS,
  type CommandRequest,
  requireExpectedVersion,
} from './command-request.ts';
import type { PayloadWriter } from './related-payload.ts';
import { MAX_ITEMS } from '../commands.limits.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';

const BATCH_MODES = ['atomic', 'partial'] as const;

/** Spec: "batch create, update and delete". */
export const BATCH_BODY = object(
  { items: list(partial(REQUEST_KEYS), { minItems: 1, maxItems: MAX_ITEMS }) },
  {
    mode: described(
      '`atomic`: all items or none, in one transaction; `partial`: each item by itself',
      withDefault('atomic', oneOf(BATCH_MODES)),
    ),
    dryRun: { ...DRY_RUN, description: 'Tells what would become of each item, as `{result, changes}`, and undoes it' },
  },
);
type BatchBody = Static<typeof BATCH_BODY>;

/** An item that has been checked: what it asks for, or what is wrong with it. */
type CheckedItem = { readonly request: CommandRequest } | { readonly error: ApplicationError };

export interface BatchRequest {
  readonly mode: BatchBody['mode'];
  readonly idempotencyKey: string | null;
  /** All of them are good in an atomic batch. */
  readonly items: readonly CheckedItem[];
}

/**
 * Checks the body of a batch: every item as a request of its own.
 * @param headerKey the header `X-Idempotent-Key`
 * @throws VALIDATION_ERROR for a body of another shape, and for whatever is wrong in an atomic batch, at
 * paths
 *   such as `items[3].payload.name`; in an atomic batch FORBIDDEN and PRECONDITION_REQUIRED with `data.index`
 */
export async function parseBatchRequest(
  command: CommandContent,
  writer: PayloadWriter,
  body: Readonly<Record<string, unknown>>,
  headerKey: string | undefined,
): Promise<BatchRequest> {
  const errors = renamed(validate(BATCH_BODY, body), (path) => path.replace(/^items\.(\d+)/, 'items[$1]'));
  const isBatch = Object.keys(errors).length === 0;
  const idempotencyKey = idempotencyKeyOf(headerKey, {}, errors);
  if (!isBatch) throwIfInvalid(errors);
  const { mode, items: given } = body as BatchBody;
  Object.assign(errors, problemsOfKeys(given, idempotencyKey));
  const items: CheckedItem[] = [];
  for (const [index, item] of given.entries()) {
    const { checked, problems } = checkItem(command, writer, item);
    items.push(checked);
    if (mode === 'atomic') {
      Object.assign(
        errors,
        renamed(problems, (path) => `items[${index}].${path}`),
      );
      if ('error' in checked && checked.error.code !== 'VALIDATION_ERROR') throw atIndex(checked.error, index);
    }
    await letOthersRun();
  }
  throwIfInvalid(errors);
  return { mode, idempotencyKey, items };
}

/** The failure of an item as that of its batch. */
export function atIndex({ code, text: message, data }: ApplicationError, index: number): ApplicationError {
  return new ApplicationError(code, { message, data: { ...data, index } });
}

/** @returns the problems by their place within the item; the error has them as that of a single command */
function checkItem(
  command: CommandContent,
  writer: PayloadWriter,
  item: BatchBody['items'][number],
): { checked: CheckedItem; problems: FieldErrors } {
  try {
    const { request, errors, payloadErrors } = readCommandRequest(command, writer, item, undefined);
    const problems = { ...errors, ...renamed(payloadErrors, (path) => `payload.${path}`) };
    if (Object.keys(problems).length > 0) {
      return { checked: { error: validationError({ ...payloadErrors, ...errors }) }, problems };
    }
    requireExpectedVersion(writer.metadata.model(command.modelCode), request);
    return { checked: { request }, problems };
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    return { checked: { error }, problems: {} };
  }
}

function problemsOfKeys(items: BatchBody['items'], ofBatch: string | null): FieldErrors {
  const problems: FieldErrors = {};
  const seen = new Set<string>();
  for (const [index, { clientRequestId: key }] of items.entries()) {
    if (typeof key !== 'string') continue;
    const path = `items[${index}].clientRequestId`;
    if (key === ofBatch) problems[path] = 'is the key of the batch';
    if (seen.has(key)) problems[path] = 'is used by two items';
    seen.add(key);
  }
  return problems;
}

function renamed(errors: FieldErrors, rename: (path: string) => string): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([path, problem]) => [rename(path), problem]));
}

/** A header that is for one record. @throws VALIDATION_ERROR */
export function refuseIfMatch(header: string | undefined): void {
  if (header !== undefined) throw validationError({ 'If-Match': 'is for one record: items have expectedVersion' });
}

/** The payload of a batch's execution. The items it executes are executions of their own. */
export interface BatchPlan {
  readonly mode: BatchRequest['mode'];
  /** Items of a partial batch that were refused, so that they have no execution. */
  readonly refused: readonly { readonly index: number; readonly error: StoredError }[];
  /** Items whose `clientRequestId` had been used before. */
  readonly replays: readonly { readonly index: number; readonly pid: string; readonly mismatch: boolean }[];
}
