import pg from 'pg';
import { parserOf, tooLarge, type Parse } from './result-types.ts';

type Row = Record<string, unknown>;

/** A statement as it is sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The name under which Postgres keeps it prepared; undefined: it is parsed and planned anew. */
  readonly name: string | undefined;
  /** Characters of all rows. */
  readonly maxLength: number;
}

/** How the rows of a statement are read. */
interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly Parse[];
  /** All columns without a value: a copy of it is filled faster than a new object. */
  readonly empty: Row;
}

/** What later statements on a connection need. */
interface Described {
  /** By the names of its prepared statements. */
  readonly shapes: Map<string, RowShape>;
  /** Takes what is to be sent in the connection's place, but for the request for a description. */
  readonly gathering: pg.Connection;
  readonly gathered: Buffer[];
}

/** What the driver calls, beyond its types. */
interface DriverQuery {
  prepare(connection: pg.Connection): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}

const driverQuery = pg.Query.prototype as unknown as DriverQuery;
const describedOn = new WeakMap<pg.Connection, Described>();
const NO_COLUMNS: RowShape = { names: [], parsers: [], empty: {} };

/**
 * Sends a statement. Postgres describes the rows of a named one once per connection: to have them described
 * with each execution costs as much as to read a page. The description holds as long as the connection, as
 * Postgres refuses to execute a statement whose columns have changed (`isStalePlan`).
 * @throws CONFLICT (TOO_LARGE); the driver's error
 */
export function sendStatement(client: pg.ClientBase, statement: SentStatement): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query = new DescribedOnce(statement, (error) => {
      const problem = error ?? query.problem;
      if (problem) reject(problem);
      else resolve(query.found);
    });
    client.query(query);
  });
}

class DescribedOnce extends pg.Query {
  /** `rows` is the driver's: how many are wanted at a time. */
  readonly found: Row[] = [];
  /** Why the rows are not whole. */
  problem: Error | undefined;
  readonly #statement: SentStatement;
  #shape: RowShape | undefined;
  /** Where the description is to be kept, when this statement has asked for it. */
  #shapes: Map<string, RowShape> | undefined;
  #length = 0;

  constructor(statement: SentStatement, callback: (error: Error | null | undefined) => void) {
    const { text, values, name } = statement;
    super({ text, values: values as unknown[], name: name as string }, callback);
    this.#statement = statement;
  }

  prepare(connection: pg.Connection): void {
    const { shapes, gathering, gathered } = describedOf(connection);
    this.#shape = shapes.get(this.#statement.name ?? '');
    if (!this.#shape) {
      this.#shapes = shapes;
      return driverQuery.prepare.call(this, connection);
    }
    driverQuery.prepare.call(this, gathering);
    // The messages of one statement are one write.
    connection.stream.write(Buffer.concat(gathered.splice(0)));
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const names = fields.map(({ name }) => name);
    this.#shape = {
      names,
      parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
      empty: Object.fromEntries(names.map((name) => [name, null])),
    };
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    if (this.problem) return;
    try {
      this.found.push(this.#read(values));
    } catch (error) {
      // Thrown here, it would end the connection instead of the statement.
      this.problem = error as Error;
    }
  }

  #read(values: readonly (string | null)[]): Row {
    const { names, parsers, empty } = this.#shape ?? NO_COLUMNS;
    const row = { ...empty };
    for (let at = 0; at < names.length; at += 1) {
      const value = values[at];
      if (typeof value !== 'string') continue;
      this.#length += value.length;
      row[names[at] as string] = parsers[at]?.(value);
    }
    if (this.#length > this.#statement.maxLength) throw tooLarge();
    return row;
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    const { name } = this.#statement;
    if (name !== undefined) this.#shapes?.set(name, this.#shape ?? NO_COLUMNS);
    driverQuery.handleCommandComplete.call(this, message, connection);
  }
}

function describedOf(connection: pg.Connection): Described {
  let described = describedOn.get(connection);
  if (!described) {
    const gathered: Buffer[] = [];
    const stream = { writable: true, write: (chunk: Buffer) => gathered.push(chunk) };
    const gathering = Object.create(connection, {
      describe: { value: () => undefined },
      stream: { value: stream },
    }) as pg.Connection;
    described = { shapes: new Map(), gathering, gathered };
    describedOn.set(connection, described);
  }
  return described;
}
