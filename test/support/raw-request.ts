import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
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
