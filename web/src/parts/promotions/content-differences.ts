/** A place at which two contents differ; undefined where one of them has nothing. */
export interface ContentDifference {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

type Map_ = Readonly<Record<string, unknown>>;
/** By which people know an item of a list. */
const NAMES = ['code', 'id', 'key', 'field', 'fieldCode', 'name'] as const;

/** What differs between two contents, place by place: items of lists are matched by their names. */
export function contentDifferences(before: unknown, after: unknown, path: readonly string[] = []): ContentDifference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isMap(before) && isMap(after)) return ofMaps(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) {
    const name = NAMES.find((one) => isNamedBy(before, one) && isNamedBy(after, one));
    if (name !== undefined) return ofLists(byName(before, name), byName(after, name), path);
  }
  return [{ path, before, after }];
}

function ofMaps(before: Map_, after: Map_, path: readonly string[]): ContentDifference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => contentDifferences(before[key], after[key], [...path, key]));
}

function ofLists(before: Map_, after: Map_, path: readonly string[]): ContentDifference[] {
  const found = ofMaps(before, after, path);
  if (found.length > 0) return found;
  // The same items in another order.
  return [{ path, before: Object.keys(before), after: Object.keys(after) }];
}

function isMap(value: unknown): value is Map_ {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamedBy(list: readonly unknown[], name: string): boolean {
  const names = list.map((item) => (isMap(item) ? item[name] : undefined));
  return names.every((one) => typeof one === 'string') && new Set(names).size === names.length;
}

function byName(list: readonly unknown[], name: string): Map_ {
  return Object.fromEntries((list as readonly Map_[]).map((item) => [String(item[name]), item]));
}
