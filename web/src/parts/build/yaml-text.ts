import { Document, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type ToStringOptions } from 'yaml';
import { inOrderOf, type JsonSchema } from './json-schema.ts';

export type Path = readonly (string | number)[];
export type Content = Readonly<Record<string, unknown>>;

/** Something to know about a line, which is counted from 1. */
export interface LineNote {
  readonly line: number;
  readonly text: string;
  readonly tone: 'bad' | 'waiting';
}

/** A text as it was read. */
export interface ReadYaml {
  /** Null: it cannot be read. */
  readonly content: Content | null;
  readonly problems: readonly LineNote[];
  /** The line of what stands at a path, or of the closest that is there. */
  readonly lineOf: (path: Path) => number;
}

/** One change of a text; undefined takes away what is there. */
export interface Edit {
  readonly path: Path;
  readonly value: unknown;
}

const STYLE: ToStringOptions = { lineWidth: 120 };
/** A map in a list that is shorter stands on one line. */
const ONE_LINE = 100;

export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(({ message, pos: [at] }): LineNote => ({
    line: Math.max(1, lines.linePos(at).line),
    text: message.split(' at line ')[0] ?? message,
    tone: 'bad',
  }));
  const value: unknown = problems.length === 0 ? document.toJS() : null;
  const isContent = typeof value === 'object' && value !== null && !Array.isArray(value);
  return {
    content: isContent ? (value as Content) : null,
    problems,
    lineOf: (path) => Math.max(1, lines.linePos(offsetOf(document, path)).line),
  };
}

function offsetOf({ contents }: Document.Parsed, path: Path): number {
  let node: unknown = contents;
  let offset = 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key));
      if (!pair) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(key)];
      if (!isMap(item) && !isSeq(item) && !isScalar(item)) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

/** A text with some changes; comments and the style of all else stay. */
export function editYaml(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text);
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, nodeOf(document, value));
  }
  return document.toString(STYLE);
}

/** Puts an item of a list to another place. */
export function moveItem(text: string, path: Path, from: number, to: number): string {
  const document = parseDocument(text);
  const list = document.getIn(path);
  if (isSeq(list) && to >= 0 && to < list.items.length) list.items.splice(to, 0, ...list.items.splice(from, 1));
  return document.toString(STYLE);
}

/** A content as a text, with its keys in the order of the schema. */
export function writeYaml(content: Content, schema?: JsonSchema): string {
  const document = new Document(schema ? inOrderOf(content, schema, schema) : content);
  visit(document, {
    Map(_, node, parents) {
      if (isSeq(parents.at(-1)) && JSON.stringify(node.toJS(document)).length <= ONE_LINE) node.flow = true;
    },
  });
  return document.toString(STYLE);
}

function nodeOf(document: Document, value: unknown): unknown {
  // A plain value takes the place of another one in its node, with its comment.
  if (typeof value !== 'object' || value === null) return value;
  const node = document.createNode(value);
  if ((isMap(node) || isSeq(node)) && JSON.stringify(value).length <= ONE_LINE) node.flow = true;
  return node;
}
