import {
  FUNCTIONS,
  OPERATORS,
  POSITION_KEYS,
  REFUSED_NAMES,
  SHAPES,
  SYSTEM_COLUMNS,
  TYPES,
  VALUE_FUNCTIONS,
} from './sql-grammar.ts';
import { type Message, quoted, text } from '../../../foundation/i18n/text.ts';
import { comparisonOf, type Comparison } from './sql-comparisons.ts';

/** What a statement reads. */
export interface SqlReads {
  /** The codes of the models whose tables it names. */
  readonly models: readonly string[];
  /** The column names it holds, wherever they stand: select list, condition, USING. */
  readonly columns: readonly ColumnMention[];
  /** The columns of models that it compares with texts and parameters. */
  readonly comparisons: readonly ComparedColumn[];
  /** How many different parameters it has. */
  readonly parameters: number;
}

export interface ComparedColumn extends ColumnMention, Pick<Comparison, 'texts' | 'parameters'> {}

/** A column name in a statement, and the models it may be a field of. */
export interface ColumnMention {
  readonly name: string;
  /**
   * Its qualifier's model where it has one; else, and for columns of subqueries, every model of the
   * statement.
   */
  readonly models: ReadonlySet<string>;
  /** It is a field of one of these models, or the statement is wrong. */
  readonly certain: boolean;
}

/** Deeper trees are built to exhaust a stack: the parser's, this walk's or the server's. */
const MAX_DEPTH = 200;

/** The statement uses what a data source may not use. */
export class Refusal extends Error {
  readonly problem: Message;

  constructor(problem: Message) {
    super(String(problem));
    this.problem = problem;
  }
}

function refuse(problem: Message): never {
  throw new Refusal(problem);
}

export type Node = Readonly<Record<string, unknown>>;
/** The names of the WITH queries that a node can read. */
type Scope = ReadonlySet<string>;

const MODEL_TABLE = /^mt_([a-z][a-z0-9_]{0,47})$/;

/**
 * One walk over one tree. It visits every node, and refuses at the first one that the grammar does not have.
 */
export class Walk {
  /** Table name or alias -> the model behind it; null for anything else that columns can be taken from. */
  readonly #tables = new Map<string, Set<string | null>>();
  readonly #models = new Set<string>();
  readonly #columns: { qualifier: string | null; name: string }[] = [];
  readonly #comparisons: Comparison[] = [];
  readonly #parameters = new Set<unknown>();

  reads(): SqlReads {
    const columns = this.#columns.map(({ qualifier, name }) => this.#mentioned(qualifier, name));
    const readsTables = ![...this.#tables.values()].some((models) => models.has(null));
    const comparisons = this.#comparisons.flatMap(({ qualifier, column, texts, parameters }) => {
      const mentioned = this.#mentioned(qualifier, column);
      // A column without a qualifier may be one of a subquery.
      return mentioned.certain || (qualifier === null && readsTables) ? [{ ...mentioned, texts, parameters }] : [];
    });
    return { models: [...this.#models], columns, comparisons, parameters: this.#parameters.size };
  }

  #mentioned(qualifier: string | null, name: string): ColumnMention {
    const tables = qualifier === null ? undefined : this.#tables.get(qualifier);
    const certain = tables !== undefined && !tables.has(null);
    return { name, models: certain ? (tables as Set<string>) : this.#models, certain };
  }

  visit(kind: string, node: Node, scope: Scope, depth: number): void {
    if (depth > MAX_DEPTH) refuse(text('is nested deeper than {max} levels', { max: MAX_DEPTH }));
    const shape = SHAPES.get(kind);
    if (!shape)
      refuse(
        text('uses {problem}, which a data source may not use', { problem: quoted(REFUSED_NAMES.get(kind) ?? kind) }),
      );
    for (const key of Object.keys(node)) {
      if (shape.keys.has(key) || POSITION_KEYS.has(key)) continue;
      const name = `${kind}.${key}`;
      refuse(
        text('uses {problem}, which a data source may not use', { problem: quoted(REFUSED_NAMES.get(name) ?? name) }),
      );
    }
    this.#judge(kind, node, scope);
    const inner = kind === 'SelectStmt' ? this.#scopeOf(node, scope, depth) : scope;
    for (const [key, value] of Object.entries(node)) {
      // `#scopeOf` has visited the WITH queries, each with what it sees.
      if (key !== 'withClause') this.#visitAll(value, shape.untagged[key], inner, depth + 1);
    }
  }

  #visitAll(value: unknown, untagged: string | undefined, scope: Scope, depth: number): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#visitAll(item, untagged, scope, depth);
    } else if (typeof value === 'object' && value !== null) {
      if (untagged !== undefined) return this.visit(untagged, value as Node, scope, depth);
      // An empty object is the parser's way to say "nothing here", as in a plain DISTINCT.
      if (Object.keys(value).length > 0) this.visit(...tagged(value), scope, depth);
    }
  }

  /** What a SELECT sees: a WITH query sees those before it, and with RECURSIVE all of them. */
  #scopeOf({ withClause }: Node, outer: Scope, depth: number): Scope {
    if (withClause === undefined) return outer;
    const { ctes, recursive } = withClause as {
      ctes: { CommonTableExpr: Node & { ctename: string } }[];
      recursive?: true;
    };
    const names = ctes.map(({ CommonTableExpr }) => CommonTableExpr.ctename);
    const reserved = names.find((name) => /^(mt|pg)_/.test(name));
    if (reserved)
      refuse(text('names a WITH query {name}; the prefixes mt_ and pg_ belong to tables', { name: reserved }));
    const scope = new Set([...outer, ...(recursive ? names : [])]);
    for (const { CommonTableExpr } of ctes) {
      this.visit('CommonTableExpr', CommonTableExpr, new Set(scope), depth + 1);
      scope.add(CommonTableExpr.ctename);
    }
    return scope;
  }

  /** The rules that go beyond a node's shape. */
  #judge(kind: string, node: Node, scope: Scope): void {
    switch (kind) {
      case 'RangeVar':
        return this.#judgeTable(node, scope);
      case 'ColumnRef':
        return this.#judgeColumn(node);
      case 'RangeSubselect':
      case 'RangeFunction':
      case 'JoinExpr':
        for (const alias of [node.alias, node.join_using_alias]) if (alias) this.#addSource(nameOf(alias), null);
        for (const name of texts(node.usingClause)) this.#addColumn(null, name);
        if (kind === 'JoinExpr' && hasColumnNames(node.alias))
          refuse('renames the columns of a join by their position');
        return;
      case 'A_Indirection':
        for (const name of texts(node.indirection)) this.#addColumn(null, name);
        return;
      case 'ParamRef':
        this.#parameters.add(node.number);
        return;
      case 'FuncCall':
        return judgeName(node.funcname, FUNCTIONS, (name) =>
          text('calls {function}, which a data source may not call', { function: name }),
        );
      case 'TypeName':
        return judgeName(node.names, TYPES, (name) =>
          text('uses the type {type}; only plain types of values are allowed', { type: name }),
        );
      case 'A_Expr':
        judgeOperator(node.name);
        return this.#compare(comparisonOf(node));
      case 'SubLink':
        return node.operName === undefined ? undefined : judgeOperator(node.operName);
      case 'CollateClause':
        if (texts(node.collname).length !== 1) refuse('uses a schema before a collation');
        return;
      case 'SQLValueFunction':
        if (!VALUE_FUNCTIONS.has(String(node.op))) {
          refuse(
            text('calls {function}, which a data source may not call', {
              function: String(node.op).slice('SVFOP_'.length).toLowerCase(),
            }),
          );
        }
        return;
    }
  }

  #judgeTable({ relname, alias }: Node, scope: Scope): void {
    const name = String(relname);
    const source = alias ? nameOf(alias) : name;
    if (scope.has(name)) return this.#addSource(source, null);
    const modelCode = MODEL_TABLE.exec(name)?.[1];
    if (modelCode === undefined) {
      refuse(
        text('reads {table}; a data source reads tables mt_<modelCode> and its own WITH queries only', { table: name }),
      );
    }
    // Which field a position means would depend on the fields that the caller may read.
    if (hasColumnNames(alias)) refuse(text('renames the columns of {table} by their position', { table: name }));
    this.#models.add(modelCode);
    this.#addSource(source, modelCode);
  }

  #judgeColumn({ fields }: Node): void {
    const names = texts(fields);
    if ((fields as unknown[]).length > 2)
      refuse(text('uses a schema before the column {column}', { column: names.join('.') }));
    const system = names.find((name) => SYSTEM_COLUMNS.has(name) || name.startsWith('pg_'));
    if (system) refuse(text('reads {column}, which a data source may not read', { column: system }));
    // `t.*` has a qualifier and a star, no column name.
    const star = names.length < (fields as unknown[]).length;
    const [first, second] = names;
    if (second !== undefined) this.#addColumn(first as string, second);
    else if (first !== undefined && !star) this.#addColumn(null, first);
  }

  #compare(comparison: Comparison | null): void {
    if (comparison) this.#comparisons.push(comparison);
  }

  #addColumn(qualifier: string | null, name: string): void {
    this.#columns.push({ qualifier, name });
  }

  #addSource(name: string, model: string | null): void {
    const models = this.#tables.get(name) ?? new Set();
    this.#tables.set(name, models.add(model));
  }
}

/** A child as the tree writes it: `{Kind: {...}}`. */
export function tagged(value: unknown): [kind: string, node: Node] {
  const [entry, ...others] = Object.entries(value as Record<string, Node>);
  if (!entry || others.length > 0 || !/^[A-Z]/.test(entry[0])) refuse('holds something that cannot be judged');
  return entry;
}

/** A list of names: the texts of its String nodes. */
function texts(list: unknown): string[] {
  return ((list ?? []) as { String?: { sval?: string } }[]).flatMap((item) =>
    item.String ? [item.String.sval ?? ''] : [],
  );
}

function nameOf(alias: unknown): string {
  return String((alias as Node).aliasname);
}

function hasColumnNames(alias: unknown): boolean {
  return (alias as Node | undefined)?.colnames !== undefined;
}

/** The parser itself writes pg_catalog before the functions and types that have a syntax of their own. */
function judgeName(list: unknown, allowed: ReadonlySet<string>, problem: (name: string) => Message): void {
  const names = texts(list);
  const plain = names.length === 2 && names[0] === 'pg_catalog' ? names.slice(1) : names;
  if (plain.length !== 1 || !allowed.has(plain[0] as string)) refuse(problem(names.join('.')));
}

function judgeOperator(list: unknown): void {
  const names = texts(list);
  if (names.length !== 1 || !OPERATORS.has(names[0] as string))
    refuse(text('uses the operator {operator}', { operator: names.join('.') }));
}
