import { readFileSync } from 'node:fs';
import { allVariables } from '../../src/foundation/config/variables.ts';

describe('.env.example', () => {
  const lines = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8').split('\n');
  const variables = new Map(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );

  it('names every variable that the program reads, and no other', () => {
    expect([...variables.keys()].sort()).toEqual(
      allVariables()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('shows the default of each', () => {
    for (const { name, schema } of allVariables()) {
      expect([name, variables.get(name)]).toEqual([name, 'default' in schema ? String(schema.default) : '']);
    }
  });
});
