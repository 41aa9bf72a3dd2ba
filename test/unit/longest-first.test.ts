import { globSync } from 'node:fs';
import { join } from 'node:path';
import LongestFirst from '../../scripts/testing/longest-first.mjs';

const tests = globSync(join(import.meta.dirname, '*.test.ts')).map((path) => ({ path }));
const sequencer = new LongestFirst();

describe('the shards of the tests', () => {
  it.each([1, 2, 3])('%s of them have every file once, and the same number up to one', (shardCount) => {
    const shards = Array.from({ length: shardCount }, (_, index) =>
      sequencer.shard(tests, { shardIndex: index + 1, shardCount }),
    );

    expect(new Set(shards.flat())).toEqual(new Set(tests));
    expect(shards.flat()).toHaveLength(tests.length);
    expect(Math.max(...shards.map((one) => one.length)) - Math.min(...shards.map((one) => one.length))).toBeLessThan(2);
  });
});
