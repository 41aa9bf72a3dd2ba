import { compilePattern, problemOfPattern } from '../../src/foundation/expressions/values/regular-expression.ts';
import { inEnglish } from '../support/in-english.ts';

const problemOf = (source: string, maxLength = 255): unknown => inEnglish(problemOfPattern(source, maxLength));

describe('a pattern', () => {
  it.each<[string, string, boolean]>([
    ['^\\d{3}\\-\\d{4}$', '555-1234', true],
    ['^\\d{3}\\-\\d{4}$', '5551234', false],
    ['b', 'abc', true],
    ['^.$', '😀', true],
    ['^\\p{Lu}', 'Éa', true],
    ['^[\\u4e00-\\u9fff]+$', '中文', true],
    ['(?i)^keelson$', 'KEELSON', true],
    ['^[^]$', '\n', true],
    ['\\\\k', 'a\\k', true],
    ['^.{1,500}$', 'a'.repeat(500), true],
    ['^.{1,500}$', 'a'.repeat(501), false],
  ])('%s against %j: %s', (source, given, matches) => {
    expect(problemOf(source, 1)).toBeNull();
    expect(compilePattern(source).test(given)).toBe(matches);
  });

  it.each([
    ['a(?=b)', 'must not look ahead or behind: character 2'],
    ['(?!b)', 'must not look ahead or behind: character 1'],
    ['(?<=a)b', 'must not look ahead or behind: character 1'],
    ['(?<!a)b', 'must not look ahead or behind: character 1'],
    ['(a)\\1', 'must not refer back to a group: character 4'],
    ['(?<n>a)\\k<n>', 'must not refer back to a group: character 8'],
    ['(', 'is not a regular expression of RE2: missing closing ), character 1'],
    ['ab[a', 'is not a regular expression of RE2: missing closing ], character 3'],
  ])('%s is refused with the reason: %s', (source, problem) => {
    expect(problemOf(source)).toBe(problem);
  });

  it.each([
    'a{1000}'.repeat(70),
    '(a{1000}){1000}',
    `(?:${'\\pL'.repeat(160)}){1000}`,
    `(?:${'a'.repeat(200)}[(]){900}`,
    `(?:[^]${'a'.repeat(100)}]){400}`,
    `(?:[a\\]]${'a'.repeat(100)}){400}`,
    `(?:\\Q)${'a'.repeat(100)}\\E){400}`,
  ])('%s is too large, which is known before it is compiled', (source) => {
    expect(problemOf(source)).toBe('is too large: its repetitions make more than 2000 steps');
  });

  it('must fit the longest text of its field', () => {
    expect(problemOf('^.{1,500}$', 498)).toBeNull();
    expect(problemOf('^.{1,500}$', 499)).toBe('fits texts of at most 498 characters: lower maxLength');
  });

  it.each(['^(a+)+$', '(x+x+)+y', '^(a|aa)+$', '(.*)*=', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s answers at once for a text that makes others backtrack for years',
    (source) => {
      expect(compilePattern(source).test(`${'a'.repeat(20_000)}!`)).toBe(false);
    },
  );
});
