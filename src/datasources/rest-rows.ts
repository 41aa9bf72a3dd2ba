import type { RestSourceContent } from '../metadata/content.ts';

/** The rows in an answer as the data source shows them; a text says why there are none. */
export function rowsIn(
  answer: unknown,
  { rowsPath, fields }: Pick<RestSourceContent, 'rowsPath' | 'fields'>,
  maxItems: number,
): object[] | string {
  const found = rowsPath === undefined ? answer : at(answer, rowsPath);
  const place = rowsPath === undefined ? 'the answer' : rowsPath;
  if (!Array.isArray(found)) return `${place} is not an array`;
  const rows = found.slice(0, maxItems) as unknown[];
  if (!rows.every(isObject)) return `${place} holds something that is not an object`;
  if (!fields) return rows;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(fields).map(([name, path]) => [name, at(row, path) ?? null])),
  );
}

/** Own keys only: what every object has is not in the answer. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
