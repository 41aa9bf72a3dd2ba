import type {
  AppTypes,
  Condition,
  ExpandPath,
  Filterable,
  PageKey,
  PidOf,
  RecordOf,
  Selectable,
  Selected,
  Sortable,
  SortField,
} from './app-types.ts';
import type { CallOptions, Transport } from './transport.ts';

type Wanted<F, E> = CallOptions & {
  /** Only these fields, paths such as `account.name`, `id` and `pid`. */
  readonly fields?: readonly F[];
  /** Paths of related records to answer under `expanded`. */
  readonly expand?: readonly E[];
};

interface Common<A extends AppTypes, P extends PageKey<A>> {
  readonly pageNum?: number;
  readonly pageSize?: number;
  readonly keyword?: string;
  readonly sortFields?: readonly SortField<Sortable<A, P>>[];
  readonly count?: 'exact' | 'none' | 'estimate' | 'capped';
  readonly cursor?: string | null;
  readonly viewId?: string;
  readonly extraParams?: Readonly<Record<string, unknown>>;
}

export type ListOptions<A extends AppTypes, P extends PageKey<A>, F, E> = Wanted<F, E> &
  Common<A, P> & {
    readonly filters?: readonly Condition<Filterable<A, P>>[];
    readonly sortField?: Sortable<A, P>;
    readonly sortOrder?: 'asc' | 'desc';
  };

export type QueryOptions<A extends AppTypes, P extends PageKey<A>, F, E> = Wanted<F, E> &
  Common<A, P> & { readonly conditions?: readonly Condition<Filterable<A, P>>[] };

export interface RecordList<R> {
  readonly records: readonly R[];
  readonly total: number | null;
  readonly pageNum: number | null;
  readonly pageSize: number;
  /** Null at the end. */
  readonly nextCursor: string | null;
  readonly totalRelation?: 'eq' | 'gte';
}

export interface AggregateOptions<A extends AppTypes, P extends PageKey<A>> extends CallOptions {
  readonly groupBy?: readonly {
    readonly fieldName: Filterable<A, P> | `${Filterable<A, P>}.${string}`;
    readonly part?: 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';
    readonly timeZone?: string;
    readonly as?: string;
  }[];
  readonly measures?: readonly {
    readonly fn: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max';
    readonly fieldName?: Filterable<A, P> | `${Filterable<A, P>}.${string}`;
    readonly as: string;
  }[];
  readonly conditions?: readonly Condition<Filterable<A, P>>[];
  readonly keyword?: string;
  readonly having?: readonly Condition[];
  readonly sortFields?: readonly SortField[];
  readonly limit?: number;
}

export interface Figures {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** There are more groups than `limit`. */
  readonly truncated: boolean;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The records of a page. */
export class Page<A extends AppTypes, P extends PageKey<A>> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, pageKey: P) {
    this.#transport = transport;
    this.#path = `/api/dynamic/${encodeURIComponent(pageKey)}`;
  }

  /** One page of the records. */
  list<F extends Selectable<A, P> = never, E extends ExpandPath<A, P> = never>({
    signal,
    ...query
  }: ListOptions<A, P, F, E> = {}): Promise<RecordList<Selected<A, P, F, E>>> {
    return this.#read('GET', '/list', { query, signal });
  }

  /** The same, for conditions that are too long for a URL. */
  query<F extends Selectable<A, P> = never, E extends ExpandPath<A, P> = never>({
    signal,
    ...body
  }: QueryOptions<A, P, F, E> = {}): Promise<RecordList<Selected<A, P, F, E>>> {
    return this.#read('POST', '/query', { body, signal });
  }

  /** All records, page after page, each once however they change meanwhile. */
  async *all<F extends Selectable<A, P> = never, E extends ExpandPath<A, P> = never>(
    options: ListOptions<A, P, F, E> = {},
  ): AsyncGenerator<Selected<A, P, F, E>, void, undefined> {
    let cursor = options.cursor ?? undefined;
    do {
      const page = await this.list<F, E>({ pageSize: 100, count: 'none', ...options, ...(cursor && { cursor }) });
      yield* page.records;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** @throws NotFoundError */
  get<E extends ExpandPath<A, P> = never>(
    pid: PidOf<A, P>,
    { signal, ...query }: Omit<Wanted<never, E>, 'fields'> = {},
  ): Promise<Selected<A, P, never, E>> {
    return this.#read('GET', `/${encodeURIComponent(pid as string)}`, { query, signal });
  }

  /** Figures over the records, by groups. */
  aggregate({ signal, ...body }: AggregateOptions<A, P>): Promise<Figures> {
    return this.#read('POST', '/aggregate', { body, signal });
  }

  /** What may be chosen for a field. */
  choices(
    field: keyof RecordOf<A, P> & string,
    { signal, ...query }: CallOptions & { readonly keyword?: string } = {},
  ): Promise<readonly Choice[]> {
    return this.#read('GET', `/options/${encodeURIComponent(field)}`, { query, signal });
  }

  async #read<T>(method: string, path: string, options: CallOptions & { query?: object; body?: object }): Promise<T> {
    return (await this.#transport.request<T>(method, this.#path + path, { ...options, isRead: true })).data;
  }
}
