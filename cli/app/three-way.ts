import { canonicalJson } from '../../src/foundation/validation/canonical-json.ts';
import { ITEM_KEYS } from './yaml-merge.ts';

type Values = Readonly<Record<string, unknown>>;

/** What two sides have made of one content, and the places that both have changed. */
export interface Merged {
  readonly content: unknown;
  readonly conflicts: readonly string[];
}

/** Merges two changes of a content, key by key and item by item. */
export function mergeThreeWay(base: unknown, mine: unknown, theirs: unknown): Merged {
  const conflicts: string[] = [];
  return { content: merge(base, mine, theirs, [], conflicts), conflicts };
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined ? one === other : canonicalJson(one) === canonicalJson(other);
}

/** Undefined stands for what is not there. */
function merge(base: unknown, mine: unknown, theirs: unknown, path: readonly string[], conflicts: string[]): unknown {
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  const inside = (key: string, of: readonly [unknown, unknown, unknown]): unknown =>
    merge(...of, [...path, key], conflicts);
  if (isMap(base) && isMap(mine) && isMap(theirs)) {
    const keys = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
    const entries = keys.map((key) => [key, inside(key, [base[key], mine[key], theirs[key]])] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  const named = namedItems([base, mine, theirs]);
  if (named) {
    const [before, own, others] = named;
    const merged = inOrder([...own.keys()], [...others.keys()]).map((key) =>
      inside(key, [before.get(key), own.get(key), others.get(key)]),
    );
    return merged.filter((item) => item !== undefined);
  }
  conflicts.push(path.join('.') || 'content');
  return mine;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Items = ReadonlyMap<string, unknown>;

/** The items of three lists by what tells them apart: one key of objects, or the value of texts. */
function namedItems(lists: readonly [unknown, unknown, unknown]): [Items, Items, Items] | null {
  const arrays = lists.filter((list): list is unknown[] => Array.isArray(list));
  if (arrays.length < lists.length) return null;
  for (const key of [null, ...ITEM_KEYS]) {
    const named = arrays.map((list) => new Map(list.map((item) => [nameOfItem(item, key), item])));
    const isWhole = named.every((items, index) => !items.has(null) && items.size === arrays[index]?.length);
    if (isWhole) return named as unknown as [Items, Items, Items];
  }
  return null;
}

function nameOfItem(item: unknown, key: string | null): string | null {
  const name = key === null ? item : isMap(item) ? item[key] : null;
  return typeof name === 'string' ? name : null;
}

/** The order of the first list; what the other adds follows what it follows there. */
function inOrder(own: readonly string[], others: readonly string[]): string[] {
  const order = [...own];
  others.forEach((name, index) => {
    if (order.includes(name)) return;
    order.splice(index === 0 ? 0 : order.indexOf(others[index - 1] ?? '') + 1, 0, name);
  });
  return order;
}
