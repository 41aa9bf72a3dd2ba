import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const ROOT = new URL('../../', import.meta.url).pathname;
const files = globSync('{src,activities}/**/*.ts', { cwd: ROOT }).map((path) =>
  ts.createSourceFile(path, readFileSync(`${ROOT}${path}`, 'utf8'), ts.ScriptTarget.Latest),
);

/** The folder of a feature, or of a part of the platform. */
const roomOf = (path: string): string => path.split('/').slice(0, 3).join('/');
const owners = new Map(
  files.flatMap(({ fileName, text }) =>
    [...text.matchAll(/\btableName: '(\w+)'/g)].map(([, table]) => [table, roomOf(fileName)] as const),
  ),
);

interface TableName {
  readonly table: string;
  readonly position: number;
}

/** The tables that string literals name. Functions have a parenthesis; operator classes end in `_ops`. */
function tablesNamedIn(node: ts.Node): TableName[] {
  if (ts.isImportDeclaration(node)) return [];
  if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) {
    const names = [...node.text.matchAll(/\bplatform\.(?!\w+_ops\b)(?:"(\w+)"|(\w+)\b)(?!\()/g)];
    return names.map(({ 1: quoted, 2: plain, index }) => ({
      table: quoted ?? plain ?? '',
      position: node.pos + index,
    }));
  }
  const found: TableName[] = [];
  ts.forEachChild(node, (child) => void found.push(...tablesNamedIn(child)));
  return found;
}

describe('tables of the platform', () => {
  it('are named in SQL by the folder of their entity alone', () => {
    const strangers = files.flatMap((file) =>
      tablesNamedIn(file)
        .filter(({ table }) => owners.get(table) !== roomOf(file.fileName))
        .map(({ table, position }) => {
          const line = file.getLineAndCharacterOfPosition(position).line + 1;
          return `${file.fileName}:${line} names ${table}, which ${owners.get(table)} owns`;
        }),
    );

    expect(strangers).toEqual([]);
  });
});
