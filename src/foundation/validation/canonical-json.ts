import { createHash } from 'node:crypto';

/**
 * JSON with the keys of every object in code-point order and without white space: equal content gives equal
 * bytes, whatever order the keys came in. Keys whose value is undefined are left out, as JSON does.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** A replacer would be called for each text, too. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > 1) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** SHA-256 of the canonical JSON. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
