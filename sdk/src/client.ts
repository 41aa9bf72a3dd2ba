import type {
  AnyApp,
  AppTypes,
  AutomationCode,
  CommandCode,
  DataSourceCode,
  DataSourcePart,
  PageKey,
  Rest,
} from './app-types.ts';
import { Automation, Run, type WaitingApproval } from './automations.ts';
import { commandOf, Execution, type Command } from './commands.ts';
import type { KeelsonError } from './errors.ts';
import { Files } from './files.ts';
import { Import } from './imports.ts';
import { Page, type RecordList } from './pages.ts';
import { Sessions, type Credentials, type Session, type SessionOptions } from './session.ts';
import { streamOf, type StreamEvent, type StreamOptions } from './streams.ts';
import { Transport, type Answer, type CallOptions, type RequestOptions } from './transport.ts';

export interface ClientOptions extends SessionOptions {
  /** Base URL of the service, such as `https://keelson.example`. */
  readonly url: string;
  /** Acts in another tenant than that of the token. */
  readonly tenantId?: string;
  /** `dev`, `staging` or `prod`; else the one that the service serves. */
  readonly environment?: string;
  /** BCP 47: the language of messages. */
  readonly language?: string;
  /** How often a request is repeated at most, where that is safe; 2. */
  readonly retries?: number;
  /** For each attempt; 60,000. */
  readonly timeoutMs?: number;
  /** A longer `Retry-After` is an error at once; 65,000. */
  readonly maxRetryDelayMs?: number;
  /** Told before each pause. */
  readonly onRetry?: (error: KeelsonError, delayMs: number) => void;
  readonly fetch?: typeof fetch;
}

interface RowsOptions extends CallOptions {
  readonly maxItems?: number;
}

/** A client of Keelson. */
export class Client<A extends AppTypes = AnyApp> {
  readonly files: Files<A extends { readonly filePid: infer Pid extends string } ? Pid : string>;
  readonly #sessions: Sessions;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const { url, tenantId, environment, language, onRetry } = options;
    const { retries = 2, timeoutMs = 60_000, maxRetryDelayMs = 65_000 } = options;
    const headers = {
      ...(tenantId !== undefined && { 'x-tenant-id': tenantId }),
      ...(environment !== undefined && { 'x-environment': environment }),
      ...(language !== undefined && { 'accept-language': language }),
    };
    this.#sessions = new Sessions(options);
    const send = options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given));
    this.#transport = new Transport(
      { url, headers, fetch: send, retries, timeoutMs, maxRetryDelayMs, onRetry },
      this.#sessions,
    );
    this.#sessions.transport = this.#transport;
    this.files = new Files(this.#transport);
  }

  login(credentials: Credentials): Promise<Session> {
    return this.#sessions.login(credentials);
  }

  /** Ends the session. */
  logout(): Promise<void> {
    return this.#sessions.logout();
  }

  /** The present access token, or API key. */
  token(): Promise<string | undefined> {
    return this.#sessions.token();
  }

  page<P extends PageKey<A>>(pageKey: P): Page<A, P> {
    return new Page(this.#transport, pageKey);
  }

  command<C extends CommandCode<A>>(code: C): Command<A['commands'][C]> {
    return commandOf(this.#transport, code);
  }

  /** An execution that was started before. */
  execution<Result = unknown>(pid: string): Execution<Result> {
    return new Execution(this.#transport, pid);
  }

  /** The rows of a data source. */
  async rows<D extends DataSourceCode<A>>(
    code: D,
    ...[params, options = {}]: Rest<DataSourcePart<A, D, 'params'>, RowsOptions>
  ): Promise<readonly DataSourcePart<A, D, 'row'>[]> {
    const { signal, maxItems } = options;
    const query = { datasourceId: code, maxItems, params };
    type Rows = DataSourcePart<A, D, 'row'>[];
    return (await this.#transport.request<Rows>('GET', '/api/datasource/list', { query, signal })).data;
  }

  automation<C extends AutomationCode<A>>(code: C): Automation<A, C> {
    return new Automation(this.#transport, code);
  }

  /** A run that was started before. */
  run<Input = unknown>(pid: string): Run<Input> {
    return new Run(this.#transport, pid);
  }

  /** The steps that wait for the caller's approval, the oldest first. */
  async approvals(
    query: { readonly pageNum?: number; readonly pageSize?: number } = {},
  ): Promise<RecordList<WaitingApproval>> {
    const { data } = await this.#transport.request<RecordList<WaitingApproval>>('GET', '/api/automations/approvals', {
      query,
    });
    return data;
  }

  /** An import that was begun before. */
  import(pid: string): Import {
    return new Import(this.#transport, pid);
  }

  /** The events of a stream, across lost connections. */
  stream<T = unknown>(path: string, options?: StreamOptions): AsyncGenerator<StreamEvent<T>, void, undefined> {
    return streamOf(this.#transport, path, options);
  }

  /** Any route. @throws KeelsonError */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>> {
    return this.#transport.request(method, path, options);
  }

  /** Any route whose answer has no envelope, such as an export. @throws KeelsonError */
  send(method: string, path: string, options?: RequestOptions): Promise<Response> {
    return this.#transport.send(method, path, options);
  }
}

export function createClient<A extends AppTypes = AnyApp>(options: ClientOptions): Client<A> {
  return new Client(options);
}
