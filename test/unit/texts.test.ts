import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEXTS } from '../support/texts.ts';

describe('the tables of texts', () => {
  // The type of messages refuses texts that no table has.
  it('hold no text that no source uses', () => {
    const root = join(import.meta.dirname, '../..');
    const sources = globSync('{src,activities,workflows}/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.texts.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const english = TEXTS.flatMap((table) => Object.values(table)).map(({ en }) => en);
    expect(english.filter((text) => !sources.includes(text))).toEqual([]);
  });
});
