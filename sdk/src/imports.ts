import type { CallOptions, Transport } from './transport.ts';
import { Watched } from './watched.ts';

export interface ImportOptions<Field extends string> extends CallOptions {
  readonly format: 'csv' | 'xlsx' | 'ndjson';
  /** Column -> field; without it columns are named by the codes of fields. */
  readonly mapping?: Readonly<Record<string, Field>>;
  readonly mode?: 'create' | 'update' | 'upsert';
  /** The unique field, or `pid`, that finds records. */
  readonly matchOn?: Field;
  readonly commandCode?: string;
  readonly delimiter?: string;
  /** Tries all rows, and undoes what they have done. */
  readonly dryRun?: boolean;
}

/** The state of an import. */
export interface ImportState {
  readonly pid: string;
  readonly status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  readonly dryRun: boolean;
  /** Rows of the file; null until they are counted. */
  readonly total: number | null;
  readonly done: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  /** What is wrong with which row, as a CSV file. */
  readonly errorFilePid: string | null;
  /** The rows that failed as CSV, as the file has them, to be corrected and imported; null for `ndjson`. */
  readonly failedRowsFilePid: string | null;
  readonly error: { readonly code: string; readonly message: string; readonly data: unknown } | null;
}

export interface ImportProblem {
  readonly row: number;
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
  readonly given: Readonly<Record<string, string>> | null;
}

/** An import under way. */
export class Import extends Watched<ImportState> {
  constructor(transport: Transport, pid: string) {
    super(transport, '/api/imports', pid);
  }

  /** Waits for its end, whatever that is: rows may have failed in one that succeeded. */
  wait(options?: CallOptions): Promise<ImportState> {
    return this.ended(options);
  }

  /** What is wrong with its rows. */
  async *problems({ signal }: CallOptions = {}): AsyncGenerator<ImportProblem, void, undefined> {
    let cursor: string | undefined;
    do {
      const { data } = await this.transport.request<{ records: ImportProblem[]; nextCursor: string | null }>(
        'GET',
        `${this.path}/problems`,
        { query: { pageSize: 500, cursor }, signal },
      );
      yield* data.records;
      cursor = data.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** What it has done stays. */
  cancel(): Promise<ImportState> {
    return this.post('cancel');
  }
}
