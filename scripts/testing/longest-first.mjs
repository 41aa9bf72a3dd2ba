import { readFileSync } from 'node:fs';

/** What takes a test file long: programs and servers of its own. */
const starts = /\b(start\w*Program|OwnTemporal\.start|spawn)\(/g;

/** How many characters of a test take as long as one start. */
const charactersPerStart = 5_000;

/**
 * The order in which jest runs the files: the longest first, so that none is left for the end, when the other
 * workers have nothing more to do. A clean clone knows no times, so the length is estimated.
 */
export default class LongestFirst {
  sort(/** @type {{path: string}[]} */ tests) {
    return tests
      .map((test) => ({ test, length: estimate(readFileSync(test.path, 'utf8')) }))
      .sort((a, b) => b.length - a.length || (a.test.path < b.test.path ? -1 : 1))
      .map(({ test }) => test);
  }

  /** Deals the files out, the longest first, so that all shards take about as long. */
  shard(/** @type {{path: string}[]} */ tests, /** @type {{shardIndex: number, shardCount: number}} */ part) {
    return this.sort(tests).filter((_, index) => index % part.shardCount === part.shardIndex - 1);
  }

  allFailedTests(/** @type {unknown[]} */ tests) {
    return tests;
  }

  cacheResults() {}
}

function estimate(/** @type {string} */ text) {
  return text.length + charactersPerStart * (text.match(starts)?.length ?? 0);
}
