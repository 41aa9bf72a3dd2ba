import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLSeq,
} from 'yaml';
import type { SourceFile } from './source-file.ts';
import { canonicalJson } from '../../src/foundation/validation/canonical-json.ts';

/** Keys by which the items of a list are told apart. */
export const ITEM_KEYS = ['code', 'id', 'name', 'fieldName', 'key'];
/** Lines are never folded: a diff shows what has changed. */
export const PRINTED = { lineWidth: 0, flowCollectionPadding: true } as const;

/** The text of a file with another `content`: comments and style stay where content is the same. */
export function withContent({ document, text }: Pick<SourceFile, 'document' | 'text'>, content: object): string {
  const changed = document.clone() as Document.Parsed;
  const node = changed.get('content', true) as Node | undefined;
  // A node that several places share cannot be changed for one of them.
  const merged = node && !hasAliases(changed) ? merge(changed, node, content) : changed.createNode(content);
  changed.set('content', merged);
  return hasAliases(changed) ? changed.toString(PRINTED) : withFlowAsBefore(changed, text);
}

/** Printing spaces out all flow collections alike: those that are as before get their text back. */
function withFlowAsBefore(changed: Document.Parsed, before: string): string {
  const printed = changed.toString(PRINTED);
  const edits: { readonly range: readonly [number, number]; readonly text: string }[] = [];
  const collect = (node: unknown, shown: unknown): void => {
    if (isCollection(node) && isCollection(shown) && node.flow && node.range && shown.range) {
      const text = before.slice(node.range[0], node.range[1]);
      const range = [shown.range[0], shown.range[1]] as const;
      if (isSame(parseDocument(text).contents, shown.toJSON())) return void edits.push({ range, text });
    }
    if (isPair(node) && isPair(shown)) collect(node.value, shown.value);
    else if (isCollection(node) && isCollection(shown)) {
      for (const [index, item] of node.items.entries()) collect(item, shown.items[index]);
    }
  };
  collect(changed.contents, parseDocument(printed).contents);
  return edits.reduceRight(
    (text, { range: [from, to], text: own }) => text.slice(0, from) + own + text.slice(to),
    printed,
  );
}

function hasAliases(document: Document): boolean {
  let found = false;
  visit(document, (_, node) => {
    if (!isAlias(node)) return undefined;
    found = true;
    return visit.BREAK;
  });
  return found;
}

function merge(document: Document, node: Node, value: unknown): Node {
  if (isSame(node, value)) return node;
  if (isMap(node) && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const wanted = new Map(Object.entries(value));
    node.items = (node.items as Pair<Scalar, Node>[]).filter(({ key }) => wanted.has(String(key.value)));
    for (const [key, one] of wanted) {
      const known = node.get(key, true) as Node | undefined;
      node.set(key, known ? merge(document, known, one) : document.createNode(one));
    }
    return node;
  }
  if (isSeq(node) && Array.isArray(value)) {
    mergeItems(document, node, value);
    return node;
  }
  return replaced(document, node, value);
}

/** Matches each item with its former self: by content, else by key. */
function mergeItems(document: Document, list: YAMLSeq, values: readonly unknown[]): void {
  const left = new Set(list.items as Node[]);
  const take = (fits: (item: Node) => boolean): Node | undefined => {
    const found = [...left].find(fits);
    if (found) left.delete(found);
    return found;
  };
  const same = values.map((value) => take((item) => isSame(item, value)));
  list.items = values.map((value, index) => {
    const known = same[index] ?? take((item) => isSameItem(item, value));
    return known ? merge(document, known, value) : document.createNode(value);
  });
}

function isSame(node: Node | null, value: unknown): boolean {
  return canonicalJson(node?.toJSON()) === canonicalJson(value);
}

function isSameItem(item: Node, value: unknown): boolean {
  if (!isMap(item) || typeof value !== 'object' || value === null) return false;
  const key = ITEM_KEYS.find((one) => Object.hasOwn(value, one));
  return key !== undefined && item.get(key) === (value as Record<string, unknown>)[key];
}

/** A new node with the comments of the old one. */
function replaced(document: Document, old: Node, value: unknown): Node {
  const node = document.createNode(value);
  node.commentBefore = old.commentBefore ?? null;
  node.comment = old.comment ?? null;
  if (old.spaceBefore) node.spaceBefore = true;
  if (isScalar(node) && isScalar(old) && typeof value === 'string' && typeof old.value === 'string' && old.type) {
    node.type = old.type;
  }
  return node;
}
