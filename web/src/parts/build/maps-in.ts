import type { Content } from './yaml-text.ts';

/** The maps of a list that an author is writing. */
export function mapsIn(value: unknown): Content[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

function isMap(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
