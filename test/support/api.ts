/** The API as a client sees it: one call, and what came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The envelope. Tests look into `data` as a client does, without types. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
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

export async function call(path: string, options: CallOptions = {}): Promise<Answered> {
  const { token, body, baseUrl = process.env.KEELSON_TEST_URL ?? '' } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(`${baseUrl}${path}`, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
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
