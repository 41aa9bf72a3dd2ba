/** A column that a statement compares for being equal, and with what. */
export interface Comparison {
  /** The name of a table or an alias; null where the column stands alone. */
  readonly qualifier: string | null;
  readonly column: string;
  readonly texts: readonly string[];
  /** Numbers of parameters, from 1. */
  readonly parameters: readonly number[];
}

type Node = Readonly<Record<string, unknown>>;
type Part = Readonly<Record<string, Node>> | undefined;

/** What an operation of a statement compares; null for any other than `=`, `<>` and `in`. */
export function comparisonOf({ kind, name, lexpr, rexpr }: Node): Comparison | null {
  if (kind !== 'AEXPR_OP' && kind !== 'AEXPR_IN') return null;
  const [operator] = namesIn(name);
  if (operator !== '=' && operator !== '<>') return null;
  const [left, right] = [uncast(lexpr as Part), uncast(rexpr as Part)];
  const [column, other] = left?.ColumnRef ? [left.ColumnRef, right] : [right?.ColumnRef, left];
  const [first, second] = namesIn(column?.fields);
  if (first === undefined) return null;
  const items = (other?.List ? (other.List.items as Part[]) : [other]).map(uncast);
  return {
    qualifier: second === undefined ? null : first,
    column: second ?? first,
    texts: items.flatMap((item) => (item?.A_Const?.sval as { sval?: string } | undefined)?.sval ?? []),
    parameters: items.flatMap((item) => (item?.ParamRef?.number as number | undefined) ?? []),
  };
}

/** What stands behind a cast. */
function uncast(part: Part): Part {
  return part?.TypeCast ? uncast(part.TypeCast.arg as Part) : part;
}

function namesIn(list: unknown): string[] {
  return ((list ?? []) as { String?: { sval?: string } }[]).flatMap((item) => item.String?.sval ?? []);
}
