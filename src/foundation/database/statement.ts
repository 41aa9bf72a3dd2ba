import type pg from 'pg';
import type { HeldMemory } from '../memory/held-memory.ts';
import { weightOfColumns } from '../memory/value-weight.ts';
import { tooLarge } from '../errors/too-large.ts';
import { LONG_READ, LONG_ROW } from '../foundation.limits.ts';
import { inTurn, letOthersRun } from '../jobs/turns.ts';
import { columnTypeOf, type ColumnType } from './result-types.ts';

type Row = Record<string, unknown>;
type Values = readonly (string | null)[];
type Parameter = string | Buffer | null;

/** A statement as it is sent. */
export interface SentStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** The name under which Postgres keeps it prepared; undefined: it is parsed and planned anew. */
  readonly name?: string | undefined;
  /** Characters of all rows. */
  readonly maxLength?: number;
  /** Whose rows are: they count to what it holds. */
  readonly held?: HeldMemory;
}

/** What Postgres has answered. */
export interface StatementResult {
  readonly rows: Row[];
  /** The first word of what was executed, as `COMMIT`. */
  readonly command: string;
}

/** How the rows of a statement are read. */
interface RowShape {
  readonly names: readonly string[];
  readonly types: readonly ColumnType[];
  /** Bytes of a row, beside its values. */
  readonly weight: number;
  /** All columns without a value: a copy of it is filled faster than a new object. */
  readonly empty: Row;
}

/** What is known of a statement that a connection keeps prepared. */
interface Prepared {
  /** How its rows are read; undefined: it may not be prepared, as the last execution to prepare it failed. */
  shape: RowShape | undefined;
  /** Executions under way that prepare it. */
  preparing: number;
}

/** By the names of the statements. */
const preparedOn = new WeakMap<pg.Connection, Map<string, Prepared>>();
const NO_COLUMNS: RowShape = { names: [], types: [], weight: 0, empty: {} };

/**
 * Sends a statement. Postgres describes the rows of a named one once per connection: to have them described
 * with each execution costs as much as to read a page. The description holds as long as the connection, as
 * Postgres refuses to execute a statement whose columns have changed (`isStalePlan`).
 * @throws CONFLICT (TOO_LARGE); the driver's error
 */
export function sendStatement(client: pg.ClientBase, statement: SentStatement): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    client.query(new Statement(statement, (error, result) => (error ? reject(error) : resolve(result))));
  });
}

type Callback = (error: Error | null, result: StatementResult) => void;

/** A query of our own, which the driver submits and tells of the answers, as it does those of pg-cursor. */
class Statement implements pg.Submittable {
  /** The driver puts one of its own in its place, which knows the time-out. */
  callback: Callback;
  readonly #sent: SentStatement;
  readonly #result = { rows: [] as Row[], command: '' };
  /** Rows that take long to read, and where they belong. */
  readonly #longRows: [number, Values][] = [];
  #shape = NO_COLUMNS;
  /** Where the shape is to be kept, when this execution prepares the statement. */
  #prepares: Prepared | undefined;
  #length = 0;
  #weight = 0;
  #connection: pg.Connection | undefined;
  #bytesOfTurn = 0;
  #pauses = 0;
  #awaitsMemory = false;
  #isOver = false;
  /** Why the rows are not whole. */
  #problem: Error | null = null;

  constructor(sent: SentStatement, callback: Callback) {
    this.#sent = sent;
    this.callback = callback;
  }

  /** @returns why it has not been sent */
  submit(connection: pg.Connection): Error | null {
    const { text, values = [], name } = this.#sent;
    gatherWrites(connection);
    this.#connection = connection;
    if (name === undefined && values.length === 0) {
      connection.query(text);
      return null;
    }
    let parameters: Parameter[];
    try {
      parameters = values.map(parameterOf);
    } catch (error) {
      return error as Error;
    }
    this.#execute(connection, name, parameters);
    return null;
  }

  #execute(connection: pg.Connection, name: string | undefined, values: Parameter[]): void {
    const prepared = name === undefined ? undefined : preparedStatement(connection, name);
    const shape = prepared?.preparing === 0 ? prepared.shape : undefined;
    if (!shape) {
      // Another execution may have prepared it: closing what does not exist is no error.
      if (name !== undefined) connection.close({ type: 'S', name }, true);
      connection.parse({ name: name ?? '', text: this.#sent.text, types: [] }, true);
    }
    connection.bind({ statement: name, values }, true);
    if (shape) {
      this.#shape = shape;
    } else {
      connection.describe({ type: 'P' }, true);
      if (prepared) prepared.preparing += 1;
      this.#prepares = prepared;
    }
    connection.execute(null, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const names = fields.map(({ name }) => name);
    this.#shape = {
      names,
      types: fields.map(({ dataTypeID }) => columnTypeOf(dataTypeID)),
      weight: weightOfColumns(names),
      empty: Object.fromEntries(names.map((name) => [name, null])),
    };
  }

  /** @param length bytes of the row, with its frame */
  handleDataRow({ length, fields: values }: { length: number; fields: Values }): void {
    this.#pace(length);
    if (this.#problem) return;
    const { rows } = this.#result;
    try {
      this.#count(values);
      const isLong = length > LONG_ROW;
      if (isLong) this.#longRows.push([rows.length, values]);
      rows.push(isLong ? this.#shape.empty : this.#read(values));
    } catch (error) {
      // Thrown here, it would end the connection instead of the statement.
      this.#fail(error as Error);
    }
  }

  /** Nothing is kept of rows that are not whole. */
  #fail(problem: Error): void {
    this.#problem = problem;
    this.#result.rows.length = 0;
    this.#sent.held?.give(this.#weight);
  }

  /** @throws CONFLICT (TOO_LARGE) */
  #count(values: Values): void {
    const { types, weight } = this.#shape;
    let ofRow = weight;
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at];
      if (typeof value !== 'string') continue;
      this.#length += value.length;
      ofRow += (types[at] as ColumnType).weigh(value);
    }
    if (this.#length > (this.#sent.maxLength ?? Infinity)) throw tooLarge();
    const { held } = this.#sent;
    if (!held) return;
    this.#weight += ofRow;
    const isTaken = held.take(ofRow);
    if (held.isExceeded) throw tooLarge();
    if (!isTaken) this.#awaitMemory(held);
  }

  /** Reads nothing more from Postgres until there is memory for it. */
  #awaitMemory(held: HeldMemory): void {
    if (this.#awaitsMemory) return;
    this.#awaitsMemory = true;
    const wait = held.wait().catch((error: Error) => {
      // Where its last row had arrived, the rows are with their reader.
      if (!this.#isOver && !this.#problem) this.#fail(error);
    });
    void this.#pause(wait.finally(() => (this.#awaitsMemory = false)));
  }

  /** Many connections at once would otherwise be read to their ends before anything else is done. */
  #pace(bytes: number): void {
    this.#bytesOfTurn += bytes;
    if (this.#bytesOfTurn <= LONG_READ) return;
    this.#bytesOfTurn = 0;
    void this.#pause(letOthersRun());
  }

  async #pause(wait: Promise<unknown>): Promise<void> {
    const stream = this.#connection?.stream;
    this.#pauses += 1;
    stream?.pause();
    await wait;
    this.#pauses -= 1;
    if (this.#pauses === 0) stream?.resume();
  }

  #read(values: Values): Row {
    const { names, types, empty } = this.#shape;
    const row = { ...empty };
    for (let at = 0; at < names.length; at += 1) {
      const value = values[at];
      if (typeof value === 'string') row[names[at] as string] = (types[at] as ColumnType).parse(value);
    }
    return row;
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#result.command = text.split(' ', 1)[0] as string;
  }

  /** Nothing but a comment was sent. */
  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.#end(undefined);
    this.callback(error, this.#result);
  }

  handleReadyForQuery(): void {
    this.#end(this.#shape);
    if (this.#longRows.length === 0 || this.#problem) this.callback(this.#problem, this.#result);
    else void this.#readLongRows();
  }

  /** In turns with other work: the JSON of one row may take some milliseconds. */
  async #readLongRows(): Promise<void> {
    try {
      for (const [at, values] of this.#longRows) {
        this.#result.rows[at] = await inTurn(() => this.#read(values));
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    this.callback(this.#problem, this.#result);
  }

  #end(shape: RowShape | undefined): void {
    this.#isOver = true;
    if (!this.#prepares) return;
    this.#prepares.preparing -= 1;
    this.#prepares.shape = shape;
  }
}

function preparedStatement(connection: pg.Connection, name: string): Prepared {
  let statements = preparedOn.get(connection);
  if (!statements) preparedOn.set(connection, (statements = new Map<string, Prepared>()));
  let prepared = statements.get(name);
  if (!prepared) statements.set(name, (prepared = { shape: undefined, preparing: 0 }));
  return prepared;
}

/** Has what is sent in this turn of the event loop travel together: each write is a call of the system. */
function gatherWrites({ stream }: pg.Connection): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Writes a value as Postgres reads it: an object as JSON, an array as one of Postgres. */
function parameterOf(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | bigint | boolean).toString();
}

function elementOf(value: unknown): string {
  const parameter = parameterOf(value);
  if (parameter === null) return 'NULL';
  if (Array.isArray(value)) return parameter as string;
  const text = typeof parameter === 'string' ? parameter : `\\x${parameter.toString('hex')}`;
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
