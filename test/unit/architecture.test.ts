import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import doors from '../../scripts/testing/doors.cjs';

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

const sources = globSync('{src,workflows,activities,cli,sdk,scripts,bench,demo,test,web}/**/*.{ts,tsx,mjs}', {
  cwd: ROOT,
})
  .filter((path) => !path.includes('/dist/') && !path.endsWith('/api.d.ts'))
  .map((path) => ({ path, code: readFileSync(join(ROOT, path), 'utf8') }));

describe('a door', () => {
  it('is a file that another room imports', () => {
    const doorsUsed = new Set<string>();
    for (const { path, code } of sources) {
      if (!/^(?:src|activities)\//.test(path)) continue;
      for (const [, target = ''] of code.matchAll(/from '(\.[^']+)\.ts'/g)) {
        const imported = join(dirname(path), target);
        const [room = ''] = /^src\/(?:features|platform)\/[^/]+\//.exec(imported) ?? [];
        if (!path.startsWith(room)) doorsUsed.add(imported);
      }
    }
    const unused = Object.entries(doors).flatMap(([room, files]) =>
      files.map((file) => `src/${room}/${file}`).filter((file) => !doorsUsed.has(file)),
    );

    expect(unused).toEqual([]);
  });
});

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

  it('sends SQL that is written by hand through a SqlRunner', () => {
    const others = /\bem(?:\.fork\(\))?\s*\.execute\b|\b(?:getKysely|getKnex|createQueryBuilder)\b|'kysely'/;
    const strangers = sources.filter(
      ({ path, code }) => /^(?:src|activities|scripts|bench)\//.test(path) && others.test(code),
    );

    expect(strangers.map(({ path }) => path).sort()).toEqual(['src/foundation/database/sql-runner.ts']);
  });

  it('has its durations, tries and batches in `*.limits.ts`', () => {
    const kinds = String.raw`\w+_(?:MS|SECONDS|MINUTES|HOURS|DAYS)|(?:\w+_)?(?:BATCH|ATTEMPTS|RETRIES|TRIES|AT_ONCE|EVERY)`;
    const policy = new RegExp(String.raw`^(?:export )?const (${kinds})(?:: \w+)? = [^;(]*\d`, 'gm');
    const elsewhere = sources
      .filter(
        ({ path }) =>
          /^src\/(?:foundation|platform|features)\//.test(path) && !/(?:\.limits|\/durations)\.ts$/.test(path),
      )
      .flatMap(({ path, code }) => Array.from(code.matchAll(policy), ([, name]) => `${path}: ${name}`));

    expect(elsewhere).toEqual([]);
  });
});
