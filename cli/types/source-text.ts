/** A member of an object type. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
}

/** An object type on lines of its own. */
export function objectType(members: readonly Member[], empty = '{}'): string {
  if (members.length === 0) return empty;
  const lines = members.map(({ name, type, optional = false }) => {
    return `  ${memberName(name)}${optional ? '?' : ''}: ${type.replaceAll('\n', '\n  ')};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

export function unionOf(types: Iterable<string>): string {
  const all = [...new Set(types)];
  if (all.includes('unknown')) return 'unknown';
  return all.length === 0 ? 'never' : all.join(' | ');
}

export function textLiteral(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

/** In an order that depends on nothing else, so that the difference of two outputs is a review. */
export function sorted<T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name);
}
