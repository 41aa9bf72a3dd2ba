import { inEnglish } from '../support/in-english.ts';
import { parseDecimal } from '../../src/foundation/expressions/values/decimal.ts';
import { evaluate as evaluateAt, problemOf } from '../../src/features/commands/definition/command-cel.ts';

const evaluate = (source: string, context: Record<string, unknown> = {}): unknown =>
  evaluateAt(source, context, 'expression');

describe('a decimal', () => {
  const decimals = (source: string): unknown =>
    evaluate(source, {
      record: { amount: parseDecimal('1200.50'), big: parseDecimal('9007199254740993'), none: null },
    });

  it.each([
    'record.amount > 1000 && 1000 < record.amount && record.amount >= 1200.5 && record.amount <= "1200.500"',
    'record.amount == 1200.5 && 1200.5 == record.amount && record.amount == "1200.50" && record.amount != 7',
    'record.amount in [7, 1200.5] && !(record.amount in ["7"])',
    'record.big == 9007199254740993 && record.big > 9007199254740992',
    'record.amount != null && !(record.amount > record.none) && record.amount != "abc"',
    'decimal("0.1") + decimal("0.2") == 0.3',
    'double(record.amount) == 1200.5 && int(record.amount) == 1200',
  ])('compares exactly with numbers and with texts that are numbers: %s', (source) => {
    expect(decimals(source)).toBe(true);
  });

  it.each([
    ['record.amount', '1200.50'],
    ['[record.amount, -record.amount]', ['1200.50', '-1200.50']],
    ['record.amount + 1', '1201.50'],
    ['record.amount * 1.1', '1320.550'],
    ['3 - record.amount', '-1197.50'],
    ['record.amount / 8', '150.0625'],
    ['decimal(2) / -3', '-0.66666666666666666667'],
    ['"EUR " + record.amount', 'EUR 1200.50'],
    ['string(record.big)', '9007199254740993'],
  ])('%s is %j', (source, result) => {
    expect(decimals(source)).toEqual(result);
  });

  it.each(['record.amount / 0', 'record.big * record.big * record.big', 'decimal("abc")', 'record.amount < "abc"'])(
    '%s fails',
    (source) => {
      expect(() => decimals(source)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
    },
  );
});

describe('an expression', () => {
  const now = new Date('2026-01-31T23:30:00.250Z');

  it.each([
    ['payload.amount * 2.0', { payload: { amount: 1.5 } }, 3],
    ['"a" + payload.name', { payload: { name: 'b' } }, 'ab'],
    ['record == null', { record: null }, true],
    ['has(payload.name) ? payload.name : "none"', { payload: {} }, 'none'],
    ['payload.?name.orValue("none")', { payload: {} }, 'none'],
    ['[1, payload.name]', { payload: { name: 'b' } }, [1, 'b']],
    ['{"a": {"b": 1}}', {}, { a: { b: 1 } }],
  ])('%s reads what it is given and answers as JSON has it', (source, context, result) => {
    expect(evaluate(source, context)).toEqual(result);
  });

  it('gives an integer as a number while a number can hold it, and as a string beyond', () => {
    expect(evaluate('9007199254740991')).toBe(9007199254740991);
    expect(evaluate('9223372036854775807')).toBe('9223372036854775807');
  });

  it.each([
    ['record.version + 1', 4],
    ['10 - record.version', 7],
    ['record.version * 2', 6],
    ['record.version / 2', 1.5],
    ['7 / 2', 3],
  ])('calculates %s: a number of the data with a number of its own', (source, result) => {
    expect(evaluate(source, { record: { version: 3 } })).toBe(result);
  });

  it('gives a time as ISO 8601 in UTC', () => {
    expect(evaluate('now', { now })).toBe('2026-01-31T23:30:00.250Z');
  });

  it('makes a string of a time: ISO 8601 in UTC', () => {
    expect(evaluate('"at " + string(now)', { now })).toBe('at 2026-01-31T23:30:00.250Z');
  });

  it('makes a day of a time, fit for a date field', () => {
    expect(evaluate('date(now)', { now })).toBe('2026-01-31');
    expect(evaluate('date(now + duration("1h"))', { now })).toBe('2026-02-01');
    expect(evaluate('date(timestamp(payload.at))', { payload: { at: '2026-01-31T23:30:00-05:00' } })).toBe(
      '2026-02-01',
    );
  });

  it('has the days between two dates, where clocks change as well', () => {
    const source = '(timestamp(payload.to, "UTC") - timestamp(payload.from, "UTC")).getHours() / 24 + 1';
    expect(evaluate(source, { payload: { from: '2026-03-28', to: '2026-03-30' } })).toBe(3);
    expect(evaluate(source, { payload: { from: '2026-03-28', to: '2026-03-28' } })).toBe(1);
  });

  it('still makes a string of everything else that CEL makes one of', () => {
    expect(evaluate('string(1) + string(true) + string(1.5) + string("a")')).toBe('1true1.5a');
  });

  it.each([
    ['payload.nothing', null],
    ['payload["nothing"].more', null],
    ['payload.list[7].name', null],
    ['payload.none.more', null],
    ['has(payload.nothing) || has(payload.nothing.more)', false],
    ['payload.nothing == null && payload.nothing != 1', true],
    ['payload.nothing > 5 || payload.nothing <= 5 || "a" < payload.nothing || payload.nothing < now', false],
    ['payload.?nothing.orValue("none")', 'none'],
  ])('knows no difference between absent and null: %s', (source, result) => {
    expect(evaluate(source, { payload: { list: [], none: null }, now })).toBe(result);
  });

  it('fails on a value that does not fit, and quotes none', () => {
    const problem = (source: string) => {
      try {
        return evaluate(source, { payload: { name: 'a secret' } });
      } catch (error) {
        return (error as { data: { fieldErrors: { expression: unknown } } }).data.fieldErrors.expression;
      }
    };

    expect(problem('payload.name.more')).toBe('No such key: more');
    expect(problem('bool(payload.name)')).toBe('bool() conversion error');
    expect(problem('duration(payload.name) > duration("1h")')).toBe('Invalid duration string');
  });

  it('sees nothing of the program', () => {
    expect(evaluate('payload.constructor', { payload: {} })).toBeNull();
    expect(() => evaluate('process', {})).toThrow();
  });
});

describe('problemOf', () => {
  it.each(['payload.name == "a"', 'date(now)', 'string(now)', 'record.status in ["a", "b"]'])(
    'finds nothing wrong with %s',
    (source) => {
      expect(problemOf(source)).toBeNull();
    },
  );

  it.each([
    ['what does not parse', 'payload.name =='],
    ['types that do not fit', '1 + "a"'],
    ['a variable nobody sets', 'secrets.key'],
    ['a function nobody knows', 'read("/etc/passwd")'],
    ['a day of something that is no time', 'date("2026-01-31")'],
    ['what is too deep', `${'('.repeat(60)}1${')'.repeat(60)}`.replaceAll('(', '-(')],
    ['what is too long', Array.from({ length: 2100 }, () => '1').join('+')],
  ])('names %s', (_what, source) => {
    expect(inEnglish(problemOf(source))).toMatch(/^is not a valid expression: ./);
  });

  it.each([
    ['won', `(a text is written '"won"'`],
    ['Hello world', `(a text is written '"Hello world"'`],
  ])('tells how the text %s is written', (source, mended) => {
    expect(inEnglish(problemOf(source))).toContain(mended);
  });

  it('leaves an expression alone that is none of a text', () => {
    expect(inEnglish(problemOf('payload.name == won'))).not.toContain('a text is written');
  });
});
