import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** An English text in the sources, with a mark wherever a value is put in. */
export interface Prose {
  /** As `src/features/records/payload.ts:56`. */
  readonly place: string;
  readonly file: string;
  readonly text: string;
}

const MARK = '‹›';

const ROOT = join(import.meta.dirname, '../..');
/** Two words: whatever people read has them. */
const WORDS = /[a-z]{2}\S* (\S+ )*\S*[a-z]{2}|[a-z] ‹›|‹› [a-z]/i;

/**
 * Every text of these sources that may be prose, wherever it stands, but in what a reader of answers never
 * sees.
 */
export function proseOf(patterns: readonly string[]): Prose[] {
  return globSync([...patterns], { cwd: ROOT })
    .sort()
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
      const found: Prose[] = [];
      const visit = (node: ts.Node): void => {
        if (isUnseen(node)) return;
        const text = textOf(node);
        if (text !== null && WORDS.test(text) && !isSql(text)) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart());
          found.push({ place: `${file}:${line + 1}`, file, text });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => MARK + literal.text).join('');
}

/** Logs, metrics, what the API's document says, types, and bugs: they end in a log, never in an answer. */
function isUnseen(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isPropertyAssignment(node)) return /^(description|summary|tag)$/.test(node.name.getText());
  if (ts.isVariableDeclaration(node)) return node.name.getText() === 'tag';
  if (isDescription(node)) return true;
  if (ts.isNewExpression(node)) return /^(Error|TypeError)$/.test(node.expression.getText());
  return ts.isCallExpression(node) && /(^|[.#])(logger|metrics)\.\w+$/i.test(node.expression.getText());
}

/** The first argument of `described(description, schema)`. */
function isDescription(node: ts.Node): boolean {
  const { parent } = node as { parent?: ts.Node };
  if (!parent || !ts.isCallExpression(parent)) return false;
  return parent.expression.getText() === 'described' && parent.arguments[0] === node;
}

function isSql(text: string): boolean {
  return (
    /^\s*(select|insert|update|delete|with|alter|create|drop|lock|grant|deallocate|prepare|explain)\b/i.test(text) ||
    /redis\.call|\bis (not )?null\b|::\w|\bnot null\b|\bnow\(\)|interval '|current_setting|\bselect\b|\$\d|\bnulls last\b/.test(
      text,
    )
  );
}
