import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { FIELD_TYPES, type FieldType } from '../../src/platform/metadata/field-types/field-types.ts';
import { checkFieldValue } from '../../src/platform/metadata/field-types/field-value.ts';
import { inEnglish } from '../support/in-english.ts';

const checkType = (type: FieldType, value: unknown) => inEnglish(FIELD_TYPES[type].check(value));
const ILL_FORMED = 'a\ud800';

describe('values by type', () => {
  it.each<[FieldType, unknown, unknown]>([
    ['string', '', ''],
    ['string', 'Zoë 🚀', 'Zoë 🚀'],
    ['text', 'two\nlines', 'two\nlines'],
    ['enum', 'anything', 'anything'],
    ['integer', 0, 0],
    ['integer', 2147483647, 2147483647],
    ['integer', -2147483648, -2147483648],
    ['integer', 7.0, 7],
    ['bigint', 7, '7'],
    ['bigint', '9223372036854775807', '9223372036854775807'],
    ['bigint', '-9223372036854775808', '-9223372036854775808'],
    ['bigint', '007', '7'],
    ['decimal', 10.5, '10.5'],
    ['decimal', '10.50', '10.50'],
    ['decimal', -0.1, '-0.1'],
    ['decimal', 0.0000001, '0.0000001'],
    ['decimal', 1e21, '1000000000000000000000'],
    [
      'decimal',
      '123456789012345678901234567890.12345678901234567890',
      '123456789012345678901234567890.12345678901234567890',
    ],
    ['boolean', true, true],
    ['boolean', false, false],
    ['date', '2026-01-31', '2026-01-31'],
    ['date', '2024-02-29', '2024-02-29'],
    ['datetime', '2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['datetime', '2026-01-31T09:30:00.123456+02:00', '2026-01-31T07:30:00.123Z'],
    ['datetime', '2026-01-31 09:30-05:00', '2026-01-31T14:30:00.000Z'],
    ['relation', '01JABCDEFGHJKMNPQRSTVWXYZ0', '01JABCDEFGHJKMNPQRSTVWXYZ0'],
    ['file', 'F1', 'F1'],
  ])('%s takes %j', (type, value, stored) => {
    expect(checkType(type, value)).toEqual({ value: stored });
  });

  it.each<[unknown, string]>([
    [{ a: [1, null, 'x'] }, '{"a":[1,null,"x"]}'],
    ['a text', '"a text"'],
    [false, 'false'],
    ['the six characters \\u0000', '"the six characters \\\\u0000"'],
  ])('json stores %j as the text of its column', (value, stored) => {
    expect(checkType('json', value)).toEqual({ value });
    expect(checkFieldValue({ code: 'name', name: 'Name', type: 'json' }, value)).toEqual({ value: stored });
  });

  it.each<[FieldType, unknown]>([
    ['string', 7],
    ['string', null],
    ['string', ['a']],
    ['string', 'a\0b'],
    ['string', ILL_FORMED],
    ['text', { a: 1 }],
    ['text', 'a\0b'],
    ['enum', 7],
    ['integer', 1.5],
    ['integer', '7'],
    ['integer', 2147483648],
    ['integer', -2147483649],
    ['integer', Number.NaN],
    ['integer', Number.POSITIVE_INFINITY],
    ['integer', true],
    ['bigint', 1.5],
    ['bigint', Number('9007199254740993')],
    ['bigint', '9223372036854775808'],
    ['bigint', '-9223372036854775809'],
    ['bigint', '7n'],
    ['bigint', ''],
    ['bigint', ' 7'],
    ['decimal', '1e5'],
    ['decimal', 1e31],
    ['decimal', 1e-30],
    ['decimal', '1,5'],
    ['decimal', '.5'],
    ['decimal', '5.'],
    ['decimal', 'NaN'],
    ['decimal', 'Infinity'],
    ['decimal', Number.POSITIVE_INFINITY],
    ['decimal', ''],
    ['decimal', '1'.repeat(31)],
    ['boolean', 'true'],
    ['boolean', 1],
    ['boolean', null],
    ['date', '2026-02-30'],
    ['date', '2025-02-29'],
    ['date', '2026-13-01'],
    ['date', '2026-1-1'],
    ['date', '31.01.2026'],
    ['date', '0000-01-01'],
    ['date', '2026-01-31T00:00:00Z'],
    ['date', 20260131],
    ['date', 'today'],
    ['datetime', '2026-01-31'],
    ['datetime', '2026-01-31T09:30:00'],
    ['datetime', '2026-02-30T09:30:00Z'],
    ['datetime', '2026-01-31T25:00:00Z'],
    ['datetime', '2026-01-31T09:60:00Z'],
    ['datetime', '2026-01-31T09:30:00+99:00'],
    ['datetime', 'now'],
    ['datetime', 1769851800000],
    ['json', { a: 'b\0' }],
    ['json', ['\\\0']],
    ['json', { [ILL_FORMED]: 1 }],
    ['json', undefined],
    ['relation', ''],
    ['relation', 'with space'],
    ['relation', "A'--"],
    ['relation', 'A'.repeat(33)],
    ['relation', 7],
    ['file', '../etc/passwd'],
  ])('%s refuses %j', (type, value) => {
    expect(checkType(type, value)).toEqual({ problem: expect.any(String) as string });
  });
});

describe('required fields', () => {
  const required: FieldContent = { code: 'name', name: 'Name', type: 'string', required: true };
  const optional: FieldContent = { code: 'name', name: 'Name', type: 'string' };

  it.each([[null], [undefined], ['']])('refuse %j', (value) => {
    expect(checkFieldValue(required, value)).toEqual({ problem: 'is required' });
  });

  it.each([[null], [undefined]])('others store null for %j', (value) => {
    expect(checkFieldValue(optional, value)).toEqual({ value: null });
  });

  it('others keep an empty text', () => {
    expect(checkFieldValue(optional, '')).toEqual({ value: '' });
  });

  it.each([[false], [0]])('take %j as a value', (value) => {
    const type = typeof value === 'boolean' ? 'boolean' : 'integer';
    expect(checkFieldValue({ ...required, type }, value)).toEqual({ value });
  });
});

describe('options of a field', () => {
  const field = (options: Partial<FieldContent>): FieldContent => ({
    code: 'f',
    name: 'F',
    type: 'string',
    ...options,
  });

  it.each<[string, Partial<FieldContent>, unknown, boolean]>([
    ['values holds it', { type: 'enum', values: ['open'] }, 'open', true],
    ['values lacks it', { type: 'enum', values: ['open'] }, 'Open', false],
    ['maxLength at the limit', { maxLength: 3 }, 'abc', true],
    ['maxLength exceeded', { maxLength: 3 }, 'abcd', false],
    ['a string is short by default', {}, 'a'.repeat(256), false],
    ['a text is long by default', { type: 'text' }, 'a'.repeat(100_000), true],
    ['a text has an end', { type: 'text' }, 'a'.repeat(100_001), false],
    ['pattern met', { pattern: '^\\p{Lu}' }, 'Éa', true],
    ['pattern missed', { pattern: '^\\p{Lu}' }, 'éa', false],
    ['min at the limit', { type: 'integer', min: 1 }, 1, true],
    ['min missed', { type: 'integer', min: 1 }, 0, false],
    ['max at the limit', { type: 'decimal', max: 10 }, '10.0', true],
    ['max exceeded', { type: 'decimal', max: 10 }, '10.01', false],
    ['max of a bigint', { type: 'bigint', max: 10 }, '11', false],
    ['the type comes first', { type: 'integer', min: 1 }, 'x', false],
  ])('%s', (_what, options, value, fits) => {
    expect('value' in checkFieldValue(field(options), value)).toBe(fits);
  });
});
