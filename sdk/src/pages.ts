import type {
  AppTypes,
  ExpandPath,
  FieldOf,
  Filter,
  PageKey,
  PidOf,
  RecordOf,
  Selectable,
  Selected,
  Sortable,
  SortField,
} from './app-types.ts';
import type { AggregateOptions, FigureRow, Figures, Grouping, Measure } from './figures.ts';
import { Files } from './files.ts';
import { Import, type ImportOptions } from './imports.ts';
import type { CallOptions, Transport } from './transport.ts';

type Wanted<F, E> = CallOptions & {
  /** Only these fields, paths such as `account.name`, `id` and `pid`. */
  readonly fields?: readonly F[];
  /** Paths of related records to answer under `expanded`. */
  readonly expand?: readonly E[];
};

/** Which records, in which order. */
interface Asked<A extends AppTypes, P extends PageKey<A>> {
  readonly keyword?: string;
  readonly sortFields?: readonly SortField<Sortable<A, P>>[];
  readonly viewId?: string;
  readonly extraParams?: Readonly<Record<string, unknown>>;
}

interface ListParts<A extends AppTypes, P extends PageKey<A>> extends Asked<A, P> {
  readonly filters?: readonly Filter<A, P>[];
  readonly sortField?: Sortable<A, P>;
  readonly sortOrder?: 'asc' | 'desc';
}

interface Paging {
  readonly pageNum?: number;
  readonly pageSize?: number;
  readonly count?: 'exact' | 'none' | 'estimate' | 'capped';
  readonly cursor?: string | null;
}

export type ListOptions<A extends AppTypes, P extends PageKey<A>, F, E> = Wanted<F, E> & Paging & ListParts<A, P>;

export type QueryOptions<A extends AppTypes, P extends PageKey<A>, F, E> = Wanted<F, E> &
  Paging &
  Asked<A, P> & { readonly conditions?: readonly Filter<A, P>[] };

export type ExportOptions<A extends AppTypes, P extends PageKey<A>, F, E> = Wanted<F, E> &
  ListParts<A, P> & { readonly header?: 'codes' | 'labels'; readonly bom?: boolean };

export interface RecordList<R> {
  readonly records: readonly R[];
  readonly total: number | null;
  readonly pageNum: number | null;
  readonly pageSize: number;
  /** Null at the end. */
  readonly nextCursor: string | null;
  readonly totalRelation?: 'eq' | 'gte';
}

/** What a view says of a list. */
export interface ViewContent<A extends AppTypes, P extends PageKey<A>> {
  readonly name: string;
  readonly conditions?: readonly Filter<A, P>[];
  readonly sortFields?: readonly SortField<Sortable<A, P>>[];
  readonly columns?: readonly Selectable<A, P>[];
  readonly display?: unknown;
}

/** A view: its pid is a `viewId` of lists and exports. */
export interface View<A extends AppTypes, P extends PageKey<A>> extends Required<ViewContent<A, P>> {
  readonly pid: string;
  readonly pageKey: P;
  readonly scope: string;
  readonly role?: string;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

const VIEWS = '/api/views';

/** The records of a page. */
export class Page<A extends AppTypes, P extends PageKey<A>> {
  readonly #transport: Transport;
  readonly #pageKey: P;
  readonly #path: string;

  constructor(transport: Transport, pageKey: P) {
    this.#transport = transport;
    this.#pageKey = pageKey;
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
  aggregate<
    const G extends readonly Grouping<A, P>[] = readonly [],
    const M extends readonly Measure<A, P>[] = readonly [],
  >({ signal, ...body }: AggregateOptions<A, P, G, M>): Promise<Figures<FigureRow<A, P, G, M>>> {
    return this.#read('POST', '/aggregate', { body, signal });
  }

  /** The whole list as a file: the response whose body are its bytes. */
  export<F extends Selectable<A, P> = never, E extends ExpandPath<A, P> = never>(
    format: 'csv' | 'xlsx' | 'ndjson',
    { signal, ...query }: ExportOptions<A, P, F, E> = {},
  ): Promise<Response> {
    return this.#transport.send('GET', `${this.#path}/export`, { query: { ...query, format }, signal });
  }

  /** Begins to make records of the rows of a file, which is uploaded first unless its pid is given. */
  async import(file: Blob | string, { signal, ...options }: ImportOptions<FieldOf<A, P>>): Promise<Import> {
    const filePid =
      typeof file === 'string' ? file : (await new Files(this.#transport).upload(file, undefined, { signal })).pid;
    const body = { ...options, filePid };
    const { data } = await this.#transport.request<{ importPid: string }>('POST', `${this.#path}/imports`, {
      body,
      signal,
    });
    return new Import(this.#transport, data.importPid);
  }

  /** The views of the page that the caller may use. */
  async views(options?: CallOptions): Promise<readonly View<A, P>[]> {
    const query = { pageKey: this.#pageKey };
    return (await this.#transport.request<View<A, P>[]>('GET', VIEWS, { ...options, query })).data;
  }

  /** Makes a view of one's own, or changes what is named of one that is there. */
  saveView(content: ViewContent<A, P>): Promise<View<A, P>>;
  saveView(changes: Partial<ViewContent<A, P>>, pid: string): Promise<View<A, P>>;
  async saveView(content: Partial<ViewContent<A, P>>, pid?: string): Promise<View<A, P>> {
    const { data } = await (pid === undefined
      ? this.#transport.request<View<A, P>>('POST', VIEWS, { body: { ...content, pageKey: this.#pageKey } })
      : this.#transport.request<View<A, P>>('PATCH', `${VIEWS}/${encodeURIComponent(pid)}`, { body: content }));
    return data;
  }

  async removeView(pid: string): Promise<void> {
    await this.#transport.request('DELETE', `${VIEWS}/${encodeURIComponent(pid)}`);
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
