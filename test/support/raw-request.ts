import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { HostileRequest } from './hostile.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request as it is: fetch would repair some, and refuse others. A stream is left as soon as it has
 * begun.
 */
export function sendRaw(baseUrl: string, { method, target, headers, body }: HostileRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = request({ hostname, port, method, path: target, headers: { ...headers, ...length } }, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      if (received['content-type']?.startsWith('text/event-stream')) {
        sent.destroy();
        return resolve({ status, headers: received, text: '' });
      }
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status, headers: received, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    if (body !== null) sent.write(body);
    sent.end();
  });
}

/** Sends a text as it stands, which no HTTP client would. */
export function sendText(text: string, baseUrl = process.env.KEELSON_TEST_URL ?? ''): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let answered = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk: Buffer) => (answered += chunk.toString()));
    socket.on('close', () => resolve(answered));
    // The server hangs up while the client may still be writing.
    socket.on('error', (error) => (answered ? undefined : reject(error)));
  });
}
