import type { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import { evaluate as evaluateAt, evaluateAll, problemOf } from '../../src/features/commands/definition/command-cel.ts';
import {
  MAX_EVALUATION_STEPS,
  EvaluationBudget,
} from '../../src/foundation/expressions/evaluation/evaluation-budget.ts';
import { inEnglish } from '../support/in-english.ts';

const evaluate = (source: string, payload: Record<string, unknown> = {}): unknown =>
  evaluateAt(source, { payload, now: new Date() }, 'result.x');
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const letters = (count: number): string => 'a'.repeat(count);
/** Binds names to lists of the name before, eight times each. */
const doubling = (depth: number, last: string): string =>
  numbers(depth).reduceRight(
    (inner, index) =>
      `cel.bind(v${index + 1}, [${Array.from({ length: 8 }, () => (index ? `v${index}` : '1')).join()}], ${inner})`,
    last,
  );

describe('an expression ends within its steps', () => {
  const j = numbers(10_000);

  it.each<[string, Record<string, unknown>]>([
    ['payload.j.all(x, payload.j.exists_one(y, y == x))', { j }],
    ['payload.j.all(x, payload.j.all(y, payload.j.all(z, z.nothing)))', { j }],
    ['payload.j.all(x, payload.j.exists(y, y.nothing || false) || true)', { j }],
    ['payload.j.map(x, payload.j.map(y, 1))', { j }],
    ['payload.j.filter(x, payload.j.filter(y, y > x).size() > 0)', { j }],
    ['payload.j.map(x, payload.j)', { j }],
    ['payload.j.map(x, payload.j + payload.j)', { j }],
    [
      'payload.m.all(k, payload.m.all(l, payload.m[l] + payload.m[k] != -1.0))',
      { m: Object.fromEntries(Object.entries(j)) },
    ],
    ['payload.j.all(x, payload.j == payload.k)', { j, k: [...j] }],
    ['payload.j.all(x, !(-1 in payload.j))', { j }],
    ['payload.j.exists(x, payload.s == payload.t)', { j, s: `${letters(500_000)}b`, t: `${letters(500_000)}c` }],
    ['payload.j.exists(x, payload.s < payload.t)', { j, s: `${letters(500_000)}b`, t: `${letters(500_000)}a` }],
    ['payload.j.all(x, now.getHours("Asia/Tokyo") >= 0)', { j }],
    ['payload.s.contains(payload.t)', { s: letters(1_000_000), t: `${letters(2_500)}b${letters(2_500)}` }],
    ['payload.s.lastIndexOf(payload.t) > 0', { s: letters(1_000_000), t: `${letters(2_500)}b` }],
    ['payload.s.split("").join(payload.s)', { s: letters(10_000) }],
    ['duration(payload.s) > duration("1s")', { s: '1'.repeat(600) }],
    ['payload.s.matches("^(.*a){100}$")', { s: letters(10_000) }],
    [
      'cel.bind(a, payload.s + payload.s, cel.bind(b, a + a, cel.bind(c, b + b, size(c + c))))',
      { s: letters(900_000) },
    ],
    [doubling(12, 'v12'), {}],
    [doubling(12, 'v12 == [v11]'), {}],
    [doubling(12, 'v11 in v12'), {}],
  ])('%s: EXPRESSION_LIMIT', (source, payload) => {
    expect(problemOf(source)).toBeNull();
    expect(() => evaluate(source, payload)).toThrow(
      expect.objectContaining({
        code: 'EXPRESSION_LIMIT',
        status: 400,
        data: { path: 'result.x', line: 1, column: expect.any(Number), maxSteps: MAX_EVALUATION_STEPS },
      }),
    );
  });

  it('names the place at which it ended', () => {
    expect(() => evaluate('payload.j.size() > 0 &&\n payload.j.all(x, payload.j.all(y, x != -1))', { j })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^The expression result\.x takes more .* line 2, column \d+$/),
      }),
    );
  });

  it('is not kept from an honest loop', () => {
    expect(evaluate('payload.j.all(x, x >= 0 && x < 10000)', { j })).toBe(true);
    expect(evaluate('payload.j.filter(x, x > 9000).map(x, x * 2).size()', { j })).toBe(999);
    expect(evaluate('payload.s.contains("b") || payload.s.split(",").size() == 1', { s: letters(100_000) })).toBe(true);
    expect(evaluate('duration("1h30m") > duration("1h")')).toBe(true);
  });

  it('does not count what a loop leaves out', () => {
    expect(evaluate('payload.j.all(x, payload.j.exists(y, y == 0))', { j })).toBe(true);
  });

  it('shares its steps with the others of a mapping', () => {
    const source = 'payload.j.all(x, x >= 0 && x < 10000)';
    const mapping = Object.fromEntries(numbers(20).map((index) => [`k${index}`, source]));

    expect(() => evaluateAll(mapping, { payload: { j } }, 'result')).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_LIMIT' }),
    );
  });

  it('fails again and again once its steps are spent', () => {
    const budget = new EvaluationBudget();

    expect(() => evaluateAt('payload.j.all(x, payload.j.all(y, true))', { payload: { j } }, 'a', budget)).toThrow();
    expect(() => evaluateAt('payload.j', { payload: { j } }, 'b', budget)).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_LIMIT' }),
    );
  });
});

describe('matches', () => {
  it.each([
    ['payload.s.matches("^a+$")', 'aaa', true],
    ['payload.s.matches("b")', 'abc', true],
    ['payload.s.matches("^(a+)+$")', `${letters(20_000)}!`, false],
    ['payload.s.matches("^" + payload.s + "$")', 'abc', true],
  ])('%s is RE2', (source, s, result) => {
    expect(evaluate(source, { s })).toBe(result);
  });

  it('refuses a pattern when it is saved, else when it is met', () => {
    const problem = 'the pattern must not look ahead or behind: character 2';

    expect(inEnglish(problemOf('payload.s.matches("a(?=b)")'))).toBe(`is not a valid expression: ${problem}`);
    expect(problemOf('payload.s.matches(payload.p)')).toBeNull();
    let failure: unknown;
    try {
      evaluate('payload.s.matches(payload.p)', { s: 'a', p: 'a(?=b)' });
    } catch (error) {
      failure = inEnglish((error as ApplicationError).data);
    }
    expect(failure).toEqual({ fieldErrors: { 'result.x': problem } });
  });

  it('is for texts alone', () => {
    expect(() => evaluate('payload.s.matches("a")', { s: 1 })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });
});
