import autocannon from 'autocannon';
import { percentile } from './statistics.ts';

/** Requests to one server: to several paths in turn, or to a new path for every request. */
export interface Requests {
  readonly url: string;
  readonly paths: readonly string[] | (() => string);
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Speed {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Keeps `connections` keep-alive connections busy for `seconds`, each with one request at a time.
 * @throws if a request fails or its status is not 2xx
 */
export async function load(
  target: Requests,
  connections: number,
  seconds: number,
  onResponse: () => void = () => undefined,
): Promise<Speed> {
  const { url, paths, method = 'GET', headers, body } = target;
  const request = { method, body, headers: { ...headers } };
  const requests =
    typeof paths === 'function'
      ? [{ ...request, path: '/', setupRequest: (one: object) => ({ ...one, path: paths() }) }]
      : paths.map((path) => ({ ...request, path }));
  const running = autocannon({ url, connections, duration: seconds, requests });
  // autocannon's own histogram has whole milliseconds.
  const times: number[] = [];
  void running.on('response', (_client, _status, _bytes, timeMs) => {
    times.push(timeMs);
    onResponse();
  });
  const { duration, errors, timeouts, non2xx, statusCodeStats, '2xx': answered } = await running;
  if (errors + timeouts + non2xx > 0 || answered === 0) {
    const statuses = JSON.stringify(statusCodeStats);
    throw new Error(`${method} ${url}: ${errors} errors, ${timeouts} timeouts, responses by status: ${statuses}`);
  }
  return { requestsPerSecond: answered / duration, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}
