import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { BOOLEAN, MAP, nullable, object, partial, text, textUpTo } from '../http/schema.ts';
import type { Decision } from './automations.service.ts';

type Body = Readonly<Record<string, unknown>>;

const MAX_KEY_LENGTH = 200;
const MAX_COMMENT_LENGTH = 2_000;

const COMMENT = nullable(text({ maxLength: MAX_COMMENT_LENGTH }));
/** `X-Idempotent-Key` of a request that begins a run. */
export const RUN_KEY = textUpTo(MAX_KEY_LENGTH);
export const NEW_RUN_BODY = partial({ input: { ...MAP, description: 'Codes and values of its input fields' } });
export const DECISION_BODY = object({ approved: BOOLEAN }, { comment: COMMENT, step: COMMENT });
export const CANCEL_BODY = partial({ reason: COMMENT });

/** What a run is to be begun with. @throws VALIDATION_ERROR */
export function parseNewRun(
  body: Body,
  headerKey: string | undefined,
): { input: Record<string, unknown>; key: string | null } {
  const errors = unknownKeys(body, NEW_RUN_BODY);
  const { input = {} } = body;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isObject) errors.input = 'must be an object';
  const isKey = headerKey === undefined || (headerKey.trim() !== '' && headerKey.length <= MAX_KEY_LENGTH);
  if (!isKey) errors['X-Idempotent-Key'] = `must be a text of 1 to ${MAX_KEY_LENGTH} characters`;
  throwIfInvalid(errors);
  return { input: input as Record<string, unknown>, key: headerKey ?? null };
}

/** @throws VALIDATION_ERROR */
export function parseDecision(body: Body): Decision {
  const errors = unknownKeys(body, DECISION_BODY);
  const { approved } = body;
  if (typeof approved !== 'boolean') errors.approved = 'must be true or false';
  const comment = textOf('comment', body.comment, errors);
  const step = textOf('step', body.step, errors);
  throwIfInvalid(errors);
  return { approved: approved as boolean, comment, step };
}

/** Gives the reason. @throws VALIDATION_ERROR */
export function parseCancel(body: Body): string | null {
  const errors = unknownKeys(body, CANCEL_BODY);
  const reason = textOf('reason', body.reason, errors);
  throwIfInvalid(errors);
  return reason;
}

function unknownKeys(body: Body, { properties }: { readonly properties: object }): FieldErrors {
  const known = Object.keys(properties);
  const unknown = Object.keys(body).filter((key) => !known.includes(key));
  return Object.fromEntries(unknown.map((key) => [key, `is not known here; there is ${known.join(', ')}`]));
}

function textOf(name: string, value: unknown, errors: FieldErrors): string | null {
  if (value === undefined || value === null) return null;
  if (
    typeof value === 'string' &&
    value.length <= MAX_COMMENT_LENGTH &&
    !value.includes('\0') &&
    value.isWellFormed()
  ) {
    return value;
  }
  errors[name] = `must be a text of at most ${MAX_COMMENT_LENGTH} characters`;
  return null;
}
