/**
 * JSON with the keys of every object in code-point order and without white space: equal content gives equal
 * bytes, whatever order the keys came in. Keys whose value is undefined are left out, as JSON does.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
