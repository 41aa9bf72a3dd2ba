/** Line and column, from 1, of a character of a text. */
export function positionOf(source: string, start: number): { readonly line: number; readonly column: number } {
  const lines = source.slice(0, start).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
