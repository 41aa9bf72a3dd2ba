import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';

/** SQL in which the names of declared params have become parameters of Postgres. */
export interface BoundSql {
  readonly text: string;
  /** `$1` stands for the first of these. */
  readonly params: readonly FieldContent[];
  /** All names that the SQL gives to values, declared or not. */
  readonly names: ReadonlySet<string>;
  /** The position in the SQL of a position in `text`; both count from 0. */
  positionOf(offset: number): number;
}

/**
 * The tokens of SQL in which a colon is no name's, and the names. A text or comment without an end takes the
 * rest: Postgres' parser refuses it afterwards. It also decides what is a parameter in the end; where a
 * comment within a comment misleads this, the statement is refused.
 */
const TOKENS = new RegExp(
  [
    String.raw`e'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)`,
    String.raw`'[^']*(?:'|$)`,
    String.raw`"[^"]*(?:"|$)`,
    String.raw`--[^\n]*`,
    String.raw`/\*[\s\S]*?(?:\*/|$)`,
    String.raw`\$(?<tag>[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*?(?:\$\k<tag>\$|$)`,
    String.raw`[a-z_\u0080-\uffff][\w$\u0080-\uffff]*`,
    '::|:=',
    String.raw`:(?<name>[a-z_]\w*)`,
  ].join('|'),
  'gi',
);

/** Makes each `:name` of a declared param a parameter with its type. Others stay. */
export function bindParams(sql: string, declared: readonly FieldContent[]): BoundSql {
  const known = new Map(declared.map((param) => [param.code, param]));
  const params: FieldContent[] = [];
  const names = new Set<string>();
  const grown: { readonly start: number; readonly end: number; readonly by: number }[] = [];
  let total = 0;
  const text = sql.replace(TOKENS, (token: string, ...rest: unknown[]) => {
    const { name } = rest.at(-1) as { name?: string };
    if (name === undefined) return token;
    names.add(name);
    const param = known.get(name);
    if (!param) return token;
    if (!params.includes(param)) params.push(param);
    const bound = `($${params.indexOf(param) + 1}::${FIELD_TYPES[param.type].cast})`;
    const start = (rest.at(-3) as number) + total;
    const by = bound.length - token.length;
    total += by;
    grown.push({ start, end: start + bound.length, by });
    return bound;
  });
  const positionOf = (offset: number): number => {
    let before = 0;
    for (const { start, end, by } of grown) {
      // A position within a parameter is that of its name.
      if (offset < end) return Math.min(offset, start) - before;
      before += by;
    }
    return offset - before;
  };
  return { text, params, names, positionOf };
}
