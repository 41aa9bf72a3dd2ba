import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type Node, type Pair } from 'yaml';
import { isExact } from '../../src/foundation/validation/json-scan.ts';
import { printableLine } from '../terminal.mjs';

/** Something wrong in a file, where a person or an editor finds it. */
export interface Problem {
  readonly file: string;
  /** From 1, as editors count. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** A YAML file, read. */
export interface SourceFile {
  /** The path as people are told it: from the folder in which they work. */
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

export async function readSource(path: string): Promise<SourceFile> {
  return parseSource(path, await readFile(path, 'utf8'));
}

export function parseSource(path: string, text: string): SourceFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  return { file: relative(process.cwd(), path) || path, path, text, document, lines };
}

/** What keeps a file from being read as YAML, and numbers that would be read as others. */
export function syntaxProblems({ file, document, lines }: SourceFile): Problem[] {
  const problems: Problem[] = [];
  const report = (start: number, message: string): void => {
    const { line, col } = lines.linePos(start);
    problems.push({ file, line, column: col, severity: 'error', message });
  };
  for (const { pos, message } of document.errors) report(pos[0], message);
  visit(document, {
    Scalar(_key, { value, source = '', range }) {
      const isRounded = typeof value === 'number' && DECIMAL.test(source) && !isExact(source);
      if (isRounded) report(range?.[0] ?? 0, `the number ${source} would be rounded: write it as a text, in quotes`);
    },
  });
  return problems;
}

/** A number as JSON writes it; YAML has others, which say their value by themselves. */
const DECIMAL = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * A problem at a place in a file, such as `content.fields.0.code`; a place that is missing counts as its
 * parent.
 */
export function problemAt(
  { file, document, lines }: SourceFile,
  place: string,
  message: string,
  severity: Problem['severity'] = 'error',
): Problem {
  const { line, col } = lines.linePos(offsetOf(document, place));
  return { file, line: Math.max(line, 1), column: Math.max(col, 1), severity, message };
}

export function formatProblem({ file, line, column, severity, message }: Problem): string {
  return printableLine(`${file}:${line}:${column}: ${severity === 'warning' ? 'warning: ' : ''}${message}`);
}

function offsetOf(document: Document.Parsed, place: string): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  let rest = place;
  while (rest !== '') {
    const step = isMap(node) ? entryOf(node.items, rest) : isSeq(node) ? itemOf(node.items, rest) : undefined;
    if (!step) break;
    node = step.value;
    rest = step.rest;
    // A value is more telling than its key, but a nested one may begin a line further down.
    offset =
      (isScalar(node) || step.key === undefined ? startOf(node) : startOf(step.key)) ?? startOf(step.key) ?? offset;
  }
  return offset;
}

interface Step {
  readonly key?: unknown;
  readonly value: unknown;
  readonly rest: string;
}

/** The entry whose key begins the path. Keys may have dots: the longest wins. */
function entryOf(pairs: readonly Pair[], path: string): Step | undefined {
  const fitting = pairs
    .map((pair) => ({ pair, name: nameOf(pair.key) }))
    .filter(({ name }) => path === name || path.startsWith(`${name}.`))
    .sort((a, b) => b.name.length - a.name.length);
  const [found] = fitting;
  return found && { key: found.pair.key, value: found.pair.value, rest: path.slice(found.name.length + 1) };
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function itemOf(items: readonly unknown[], path: string): Step | undefined {
  const [index = ''] = path.split('.', 1);
  const value = /^\d+$/.test(index) ? items[Number(index)] : undefined;
  return value === undefined ? undefined : { value, rest: path.slice(index.length + 1) };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
