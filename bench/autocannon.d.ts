/** Types of autocannon, as far as http-load.ts uses it. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    requests: {
      method: string;
      path: string;
      body?: string;
      headers?: Record<string, string>;
      setupRequest?(request: object): object;
    }[];
  }

  interface Result {
    /** Seconds. */
    duration: number;
    '2xx': number;
    non2xx: number;
    errors: number;
    timeouts: number;
    statusCodeStats: Record<string, { count: number }>;
  }

  interface Running extends EventEmitter, Promise<Result> {
    on(event: 'response', listener: (client: object, status: number, bytes: number, timeMs: number) => void): this;
  }

  export default function autocannon(options: Options): Running;
}
