import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const [, table = ''] = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('## Where do I change ...?');
const rows = Array.from(table.matchAll(/^\| (.+?) +\| (.*`.*) \|$/gm), ([, change = '', where = '']) => [
  change,
  where,
]);

describe('a row of "Where do I change ...?"', () => {
  it.each(rows)('%s: the files exist', (_change, where = '') => {
    const names = [...where.matchAll(/`([\w./-]*(?:\/|\.ts|\.mjs))`/g)].map(([, name = '']) => name);
    const folder = names.find((name) => name.endsWith('/')) ?? '';
    const isThere = (name: string) => existsSync(join(ROOT, name)) || existsSync(join(ROOT, folder, name));

    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  it.each(rows)('%s: the constants are in the file that is named before them', (_change, where = '') => {
    const named = [...where.matchAll(/`([\w./-]*\.ts)` \(((?:`\w+`(?:, )?)+)/g)];
    for (const [, file = '', constants = ''] of named) {
      const code = readFileSync(join(ROOT, file), 'utf8');
      expect([...constants.matchAll(/\w+/g)].filter(([name]) => !code.includes(name))).toEqual([]);
    }
  });
});

/** The lines where a literal is spread into one of its kind. */
function spreadLiterals(file: ts.SourceFile, node: ts.Node = file): string[] {
  const isSpread =
    (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) ||
    (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.expression));
  const found = isSpread ? [`${file.fileName}:${file.getLineAndCharacterOfPosition(node.pos).line + 1}`] : [];
  ts.forEachChild(node, (child) => void found.push(...spreadLiterals(file, child)));
  return found;
}

const sources = globSync('{src,workflows,activities,cli,sdk,scripts,bench,demo,test}/**/*.{ts,mjs}', { cwd: ROOT })
  .filter((path) => !path.includes('/dist/'))
  .map((path) => ({ path, code: readFileSync(join(ROOT, path), 'utf8') }));

describe('the code', () => {
  it('spreads no literal to steer the formatter', () => {
    const files = sources
      .filter(({ code }) => /\.\.\.\s*[[{]/.test(code))
      .map(({ path, code }) => ts.createSourceFile(path, code, ts.ScriptTarget.Latest));

    expect(files.flatMap((file) => spreadLiterals(file))).toEqual([]);
  });

  it('has no comment beyond 110 columns', () => {
    const long = sources.flatMap(({ path, code }) =>
      code.split('\n').flatMap((line, index) => {
        const isLong = line.length > 110 && /^\s*(\/\/|\/?\*+ )/.test(line);
        return isLong && !line.includes('oxlint-disable') ? [`${path}:${index + 1}`] : [];
      }),
    );

    expect(long).toEqual([]);
  });
});
