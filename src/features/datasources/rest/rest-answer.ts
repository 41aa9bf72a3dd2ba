import { MAX_ITEMS, MAX_RESPONSE_BYTES } from '../datasources.limits.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { OutboundError, OutboundOutcome, OutboundResponse } from '../../../foundation/outbound/outcome.ts';
import { brokenDataSource } from '../broken-data-source.ts';

/** Where in an answer the rows and their fields are, as keys joined by dots. */
interface Places {
  readonly rowsPath?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * The rows in the answer of another service.
 * @throws SERVICE_UNAVAILABLE where there is none for now; BAD_GATEWAY where it is of no use; CONFLICT
 *   (DATASOURCE) where the address may not be called
 */
export function rowsOf(outcome: OutboundOutcome, { rowsPath, fields }: Places): object[] {
  if (outcome.kind === 'error') throw unreachable(outcome);
  const answer = jsonIn(outcome);
  const found = rowsPath === undefined ? answer : at(answer, rowsPath);
  const place = rowsPath ?? 'the answer';
  if (!Array.isArray(found)) throw badAnswer('SHAPE', text('{problem} is not an array', { problem: place }));
  const rows = found.slice(0, MAX_ITEMS) as unknown[];
  if (!rows.every(isObject)) {
    throw badAnswer('SHAPE', text('{problem} holds something that is not an object', { problem: place }));
  }
  if (!fields) return rows;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(fields).map(([name, path]) => [name, at(row, path) ?? null])),
  );
}

/** Own keys only: inherited ones are not in the answer. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonIn({ statusCode, headers, body, truncated }: OutboundResponse): unknown {
  if (statusCode < 200 || statusCode > 299) {
    const isOverloaded = statusCode === 429 || statusCode >= 500;
    const problem = text('it answers HTTP {status}', { status: statusCode });
    throw (isOverloaded ? away : badAnswer)('STATUS', problem, { status: statusCode });
  }
  if (truncated) {
    throw badAnswer('TOO_LARGE', text('its answer is longer than {max} bytes', { max: MAX_RESPONSE_BYTES }));
  }
  if (!/^application\/([\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) {
    throw badAnswer('NOT_JSON', 'its answer is not JSON');
  }
  try {
    return JSON.parse(body);
  } catch {
    throw badAnswer('NOT_JSON', 'its answer is not JSON');
  }
}

/** The message of the client names no address and nothing of the request. */
function unreachable({ errorClass, message }: OutboundError): ApplicationError {
  if (errorClass === 'blocked') return brokenDataSource(message);
  return away(errorClass.toUpperCase(), message);
}

function away(reason: string, problem: Message, details: { status?: number } = {}): ApplicationError {
  const message = text('The service behind the data source is unavailable: {problem}', { problem });
  const data = { dependency: 'datasource', reason, ...details };
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: 5 });
}

function badAnswer(reason: string, problem: Message, details: { status?: number } = {}): ApplicationError {
  const message = text('The service behind the data source gives no usable answer: {problem}', { problem });
  return new ApplicationError('BAD_GATEWAY', { message, data: { reason, ...details } });
}
