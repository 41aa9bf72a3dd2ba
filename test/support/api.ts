import { ERROR_CATALOGUE, type ErrorCode } from '../../src/foundation/errors/catalogue.ts';
import { sharedDocument } from './openapi.ts';

/** The API as a client sees it: one call, and what came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The envelope. Tests look into `data` as a client does, without types. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: { code: string; message: string; data: any };
}

export interface CallOptions {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it stands. */
  readonly body?: unknown;
  /** Another node than the shared one. */
  readonly baseUrl?: string;
}

/** @throws Error for an answer that does not keep what `GET /api/openapi.json` says of it */
export async function call(path: string, options: CallOptions = {}): Promise<Answered> {
  const { token, body, baseUrl = process.env.KEELSON_TEST_URL ?? '' } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  const api = await sharedDocument();
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = text !== '' && (response.headers.get('content-type')?.includes('json') ?? false);
  const answered = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null };
  // Without waiting: what a node does between two calls is counted by some tests.
  const problem = isJson && api?.problemOf(method, response.url, answered);
  if (problem) throw new Error(problem);
  return answered;
}

/** Executes a command. `body` is the command request body of the spec. */
export function execute(
  token: string,
  commandCode: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Answered> {
  return call(`/api/meta/commands/execute/${commandCode}`, { ...options, token, body });
}

/** A list; `query` as names and values, filters as the array itself. */
export function list(
  token: string,
  pageKey: string,
  query: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<Answered> {
  const pairs = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return call(`/api/dynamic/${pageKey}/list?${new URLSearchParams(pairs as [string, string][]).toString()}`, {
    ...options,
    token,
  });
}

/** Expects an error envelope with this code, the status that it has, and at least this data. */
export function expectRefusal(
  { status, body }: Pick<Answered, 'status' | 'body'>,
  code: ErrorCode,
  data?: object | null,
): void {
  const expected = { code, ...(data !== undefined && { data }) };
  expect({ status, body }).toMatchObject({ status: ERROR_CATALOGUE[code].status, body: expected });
}

/** What a successful call answered. */
// oxlint-disable-next-line typescript/no-explicit-any
export function dataOf({ status, body }: Answered): any {
  if (body.code !== '0') throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** A refusal as tests compare it. */
export function refusal({ status, body: { code, data } }: Answered) {
  return { status, code, data };
}
