import { LRUCache } from 'lru-cache';
import { hasSqlDetails, parse } from 'libpg-query';
import { positionOf } from '../../../foundation/expressions/position.ts';
import { type Message, quoted, text } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { bindParams, type BoundSql } from './sql-params.ts';
import { Refusal, tagged, Walk, type ColumnMention, type ComparedColumn } from './sql-walk.ts';

/** What an acceptable SQL text reads. */
export interface SqlInspection {
  /** The statement alone, without a closing semicolon; its params are `$1` and so on. */
  readonly text: string;
  /** The params that it has, in the order of their numbers. */
  readonly params: readonly FieldContent[];
  /** The codes of the models whose tables it names. */
  readonly models: readonly string[];
  /** The column names it holds, wherever they stand: select list, condition, USING. */
  readonly columns: readonly ColumnMention[];
  /** The columns that it compares with texts and parameters. */
  readonly comparisons: readonly ComparedColumn[];
  /** A problem with its position in the author's SQL. @param offset in `text`, in code points, from 0 */
  at(offset: number, problem: Message): Message;
}

type Inspected = SqlInspection | { readonly problem: Message };

const inspected = new LRUCache<string, Inspected>({ max: 500 });

/**
 * Judges the SQL of a data source: one plain SELECT over `mt_<modelCode>` tables and allowed functions.
 *
 * It is an allow-list over the tree of Postgres' own parser, because nothing weaker holds. Text can be
 * searched for bad words, but U&"set\005fconfig"('keelson.tenant_id', '2', true) moves the caller to another
 * tenant without containing one, comments and quoting hide the rest, and functions such as query_to_xml run
 * any text they are handed.
 * @param declared the params that it may have, as `:code`
 * @returns what the statement reads, or what is wrong with it as a message for its author
 */
export async function inspectSql(sql: string, declared: readonly FieldContent[] = []): Promise<Inspected> {
  const key = JSON.stringify([sql, ...declared.map(({ code, type }) => [code, type])]);
  let result = inspected.get(key);
  if (!result) {
    result = await inspect(sql, bindParams(sql, declared));
    inspected.set(key, result);
  }
  return result;
}

/** Problems of the SQL of a data source; null when it may run. */
export async function problemOfSql(sql: string, declared: readonly FieldContent[] = []): Promise<Message | null> {
  const result = await inspectSql(sql, declared);
  return 'problem' in result ? result.problem : null;
}

async function inspect(sql: string, bound: BoundSql): Promise<Inspected> {
  // The parser would stop at a NUL and judge only what stands before it.
  if (sql.includes('\0') || !sql.isWellFormed()) return { problem: 'is not a valid text' };
  try {
    const { stmts = [] } = sql.trim() === '' ? {} : await parse(bound.text);
    const [statement] = stmts;
    if (!statement || stmts.length > 1) return { problem: 'must be exactly one statement' };
    const [kind, select] = tagged(statement.stmt);
    if (kind !== 'SelectStmt') return { problem: 'must be a SELECT' };
    const walk = new Walk();
    walk.visit('SelectStmt', select, new Set(), 1);
    const { models, columns, comparisons, parameters } = walk.reads();
    const problem = problemOfParameters(parameters, bound);
    if (problem !== null) return { problem };
    const { stmt_location: start = 0, stmt_len: length } = statement;
    // The parser counts in bytes.
    const bytes = Buffer.from(bound.text);
    const before = bytes.subarray(0, start).toString().length;
    const alone = bytes.subarray(start, length === undefined ? undefined : start + length).toString();
    const at = (offset: number, of: Message): Message =>
      withPosition(of, sql, bound.positionOf(before + indexAt(alone, offset)));
    return { text: alone, params: bound.params, models, columns, comparisons, at };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.problem };
    const problem = text('is not valid SQL: {problem}', { problem: quoted((error as Error).message) });
    const position = hasSqlDetails(error) ? error.sqlDetails?.cursorPosition : undefined;
    if (position === undefined) return { problem };
    return { problem: withPosition(problem, sql, bound.positionOf(indexAt(bound.text, position))) };
  }
}

/** The parser decides what is a parameter: `bindParams` does not know comments within comments. */
function problemOfParameters(found: number, { params }: BoundSql): Message | null {
  if (found === params.length) return null;
  if (found < params.length) return 'names a parameter where no value can stand';
  return text('uses {problem}, which a data source may not use', { problem: 'a parameter such as $1' });
}

/**
 * A problem with its line and column in the SQL, which both count from 1.
 * @param offset from 0
 */
function withPosition(problem: Message, sql: string, offset: number): Message {
  return text('{problem} (line {line}, column {column})', { problem, ...positionOf(sql, offset) });
}

/** The index in a text of a position that Postgres counts in code points, from 0. */
function indexAt(sql: string, codePoints: number): number {
  return [...sql].slice(0, codePoints).join('').length;
}
