import { MAX_ITEMS, MAX_RESPONSE_BYTES, RETRY_AFTER_SECONDS } from '../datasources.limits.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { type Message, quoted, text } from '../../../foundation/i18n/text.ts';
import type { OutboundError, OutboundOutcome, OutboundResponse } from '../../../foundation/outbound/outcome.ts';
import { holdMore } from '../../../foundation/memory/held-memory.ts';
import { weightOfJson } from '../../../foundation/memory/value-weight.ts';
import { parseLongJson } from '../../../foundation/http/long-json.ts';
import { ANSWER_JSON, firstProblem } from '../../../foundation/validation/json-text.ts';
import { brokenDataSource } from '../broken-data-source.ts';

/** Paths of the rows in an answer, and of fields in a row: keys joined by dots. */
interface AnswerPaths {
  readonly rowsPath?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * The rows in the answer of another service.
 * @throws SERVICE_UNAVAILABLE where there is none for now; BAD_GATEWAY where it is of no use; CONFLICT
 *   (DATASOURCE) where the address may not be called
 */
export async function rowsOf(outcome: OutboundOutcome, { rowsPath, fields }: AnswerPaths): Promise<object[]> {
  if (outcome.kind === 'error') throw unreachable(outcome);
  const answer = await jsonIn(outcome);
  const found = rowsPath === undefined ? answer : at(answer, rowsPath);
  const path = rowsPath === undefined ? 'the answer' : quoted(rowsPath);
  if (!Array.isArray(found)) throw badAnswer('SHAPE', text('{problem} is not an array', { problem: path }));
  const rows = found.slice(0, MAX_ITEMS) as unknown[];
  if (!rows.every(isObject)) {
    throw badAnswer('SHAPE', text('{problem} holds something that is not an object', { problem: path }));
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

async function jsonIn({ statusCode, headers, body, truncated }: OutboundResponse): Promise<unknown> {
  if (statusCode < 200 || statusCode > 299) {
    const isOverloaded = statusCode === 429 || statusCode >= 500;
    const problem = text('it answers HTTP {status}', { status: statusCode });
    throw (isOverloaded ? unavailable : badAnswer)('STATUS', problem, { status: statusCode });
  }
  if (truncated) {
    throw badAnswer('TOO_LARGE', text('its answer is longer than {max} bytes', { max: MAX_RESPONSE_BYTES }));
  }
  if (!/^application\/([\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) {
    throw badAnswer('NOT_JSON', 'its answer is not JSON');
  }
  await holdMore(weightOfJson(body));
  const parsed = await parseLongJson(body, ANSWER_JSON);
  if ('value' in parsed) return parsed.value;
  throw badAnswer('NOT_JSON', text('its answer {problem}', { problem: firstProblem(parsed) }));
}

/** The message of the client names no address and nothing of the request. */
function unreachable({ errorClass, message }: OutboundError): ApplicationError {
  if (errorClass === 'blocked') return brokenDataSource(message);
  return unavailable(errorClass.toUpperCase(), message);
}

function unavailable(reason: string, problem: Message, details: { status?: number } = {}): ApplicationError {
  const message = text('The service behind the data source is unavailable: {problem}', { problem });
  const data = { dependency: 'datasource', reason, ...details };
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function badAnswer(reason: string, problem: Message, details: { status?: number } = {}): ApplicationError {
  const message = text('The service behind the data source gives no usable answer: {problem}', { problem });
  return new ApplicationError('BAD_GATEWAY', { message, data: { reason, ...details } });
}
