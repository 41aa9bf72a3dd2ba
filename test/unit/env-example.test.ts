import { readFileSync } from 'node:fs';
import { configSchema } from '../../src/config/schema.ts';

describe('.env.example', () => {
  const lines = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8').split('\n');
  const variables = new Map(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );

  it('names every variable that the program reads, and no other', () => {
    expect([...variables.keys()].sort()).toEqual(Object.keys(configSchema.properties).sort());
  });

  it('shows the default of each', () => {
    for (const [name, property] of Object.entries(configSchema.properties)) {
      expect([name, variables.get(name)]).toEqual([name, 'default' in property ? String(property.default) : '']);
    }
  });
});
