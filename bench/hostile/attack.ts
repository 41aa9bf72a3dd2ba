import type { Pool } from 'undici';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';

/**
 * What an ordinary account can send to fill a node's memory or hold its event loop. All attacks run at once:
 * each has models, commands and records of its own.
 */
export interface Attack {
  /** As `BENCH_ONLY` names it. */
  readonly name: string;
  /** Saves configuration and records, before the program is asked anything. */
  readonly prepare: (setup: Setup) => Promise<void>;
  /**
   * One round, with as many requests at once as the attack needs. Rounds are repeated until the time is over.
   */
  readonly attack: (target: Target) => Promise<unknown>;
}

export interface Setup {
  readonly save: (...drafts: ResourceDraft[]) => Promise<void>;
  /** Inserts records behind the API. @returns their pids */
  readonly insert: (modelCode: string, records: readonly object[]) => Promise<string[]>;
}

export interface HostileRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With its query string. */
  readonly path: string;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HostileAnswer {
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  /** The first 4 KiB. */
  readonly start: string;
}

/** The node under attack, as an account with the role ADMIN sees it. */
export class Target {
  readonly #pool: Pool;
  readonly #token: string;
  readonly #note: (answer: HostileAnswer, retryAfter: unknown) => void;

  constructor(pool: Pool, token: string, note: (answer: HostileAnswer, retryAfter: unknown) => void) {
    this.#pool = pool;
    this.#token = token;
    this.#note = note;
  }

  /** Sends a request and takes the whole answer. */
  async send({ method = 'GET', path, body, headers }: HostileRequest): Promise<HostileAnswer> {
    const isJson = body !== undefined && typeof body === 'object' && !Buffer.isBuffer(body);
    const sent = isJson ? JSON.stringify(body) : (body ?? null);
    const type = sent === null ? {} : { 'content-type': 'application/json' };
    const all = { authorization: `Bearer ${this.#token}`, ...type, ...headers };
    let answer: HostileAnswer = { status: 0, start: '' };
    let retryAfter: unknown;
    try {
      const response = await this.#pool.request({ method, path, body: sent, headers: all });
      let start = '';
      for await (const chunk of response.body) if (start.length < 4_096) start += String(chunk).slice(0, 4_096);
      retryAfter = response.headers['retry-after'];
      answer = { status: response.statusCode, start };
    } catch {
      // The node has ended, or the connection.
    }
    this.#note(answer, retryAfter);
    return answer;
  }

  /** The same request several times at once. */
  atOnce(count: number, request: HostileRequest): Promise<HostileAnswer[]> {
    return Promise.all(Array.from({ length: count }, () => this.send(request)));
  }
}

/** A model with a page of the same code, and a command `hostile:<code>` that creates, updates and deletes. */
export function modelDrafts(code: string, fields: readonly { code: string; type: string }[]): ResourceDraft[] {
  const named = fields.map((field) => ({ ...field, name: field.code }));
  const operations = ['CREATE', 'UPDATE', 'DELETE'];
  return [
    { resourceType: 'MODEL', code, content: { name: code, fields: named } },
    { resourceType: 'PAGE_SCHEMA', code, content: { name: code, modelCode: code, columns: [fields[0]?.code] } },
    { resourceType: 'COMMAND', code: `hostile:${code}`, content: { name: code, modelCode: code, operations } },
  ];
}
