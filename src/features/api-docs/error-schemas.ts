import { ERROR_CATALOGUE, type ErrorCode } from '../../foundation/errors/catalogue.ts';
import {
  ANYTHING,
  integer,
  list,
  MAP,
  mapOf,
  nullable,
  object,
  text,
  type Schema,
} from '../../foundation/validation/schema.ts';

/** An object that says at least this. */
const withReason = (key: string): Schema => ({ ...MAP, properties: { [key]: text() }, required: [key] });

const FIELD_ERRORS = mapOf(text({ description: 'What is wrong with the field' }));

const PATH = text({ description: 'The place of a related record in the payload' });

/** `data` by code; null where nothing is said. */
const DATA: Partial<Record<ErrorCode, Schema>> = {
  VALIDATION_ERROR: object({ fieldErrors: FIELD_ERRORS }),
  EXPRESSION_LIMIT: object({
    path: text({ description: 'Where the expression stands' }),
    line: integer(1),
    column: integer(1),
    maxSteps: integer(1),
  }),
  FORBIDDEN: object(
    {},
    {
      permission: text({ description: 'The code that is missing, where one would do' }),
      reason: text(),
      fieldErrors: FIELD_ERRORS,
      path: PATH,
    },
  ),
  NOT_FOUND: nullable(object({ path: PATH })),
  TENANT_FORBIDDEN: nullable(withReason('reason')),
  FOUR_EYES_REQUIRED: nullable(MAP),
  RATE_LIMITED: object({ retryAfterSeconds: integer(1) }, { limit: integer(1) }),
  CONFLICT: withReason('reason'),
  PRECONDITION_FAILED: object({ version: integer(1) }, { record: MAP }),
  RANGE_NOT_SATISFIABLE: object({ size: integer(0) }),
  ENVIRONMENT_LOCKED: withReason('reason'),
  PROMOTION_CONFLICT: { ...MAP, properties: { promotionPid: text(), conflicts: list(MAP) } },
  PROMOTION_STATE: object({ status: text() }),
  STALE_PLAN: nullable(withReason('reason')),
  INTERNAL_ERROR: object({ traceId: nullable(text()) }),
  BAD_GATEWAY: nullable(MAP),
  SERVICE_UNAVAILABLE: nullable(MAP),
};

/** The envelope of every answer. Spec: "Response envelope". */
export const ENVELOPE: Schema = {
  type: 'object',
  properties: { code: text({ description: '`0`, or a code of the errors' }), message: text(), data: ANYTHING },
  required: ['code', 'message', 'data'],
};

const REFERENCE = { $ref: '#/components/schemas/Envelope' };

/** The envelope with these codes and this `data`. */
export function envelopeOf(codes: readonly string[], data: Schema): Schema {
  return { allOf: [REFERENCE], properties: { code: { enum: codes }, data }, required: ['code', 'data'] };
}

/** A schema for each code of the catalogue, by its name in the document. */
export function errorSchemas(): Record<string, Schema> {
  return Object.fromEntries(
    (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map((code) => [
      errorName(code),
      envelopeOf([code], DATA[code] ?? { type: 'null' }),
    ]),
  );
}

function errorName(code: ErrorCode): string {
  return `Error.${code}`;
}

/** Responses for these codes, one for each HTTP status. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Schema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const schemas = found.map((code) => ({ $ref: `#/components/schemas/${errorName(code)}` }));
      const description = found.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].text.en}`).join('; ');
      const schema = schemas.length === 1 ? schemas[0] : { oneOf: schemas };
      const retry = status === 429 || status === 503 ? { 'Retry-After': { schema: integer(0) } } : {};
      const headers = { 'X-Trace-Id': { $ref: '#/components/headers/X-Trace-Id' }, ...retry };
      return [String(status), { description, headers, content: { 'application/json': { schema } } }];
    }),
  );
}
