import { newAjv } from '../../src/foundation/validation/json-schema.ts';
import { checkDeclaredFields } from '../../src/platform/metadata/field-types/field-value.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { FIELD_TYPE_NAMES, FIELD_TYPES, type FieldType } from '../../src/platform/metadata/field-types/field-types.ts';
import { payloadSchemaOf } from '../../src/platform/metadata/field-types/payload-schema.ts';

const fieldOf = (type: FieldType, options: Partial<FieldContent> = {}): FieldContent => ({
  code: 'one',
  name: 'One',
  type,
  ...(type === 'enum' && { values: ['a', 'b'] }),
  ...options,
});
const ajv = newAjv();
const matches = (field: FieldContent, payload: object, isWhole = true) =>
  ajv.compile(payloadSchemaOf([field], ({ name }) => name, isWhole))(payload);
const isAccepted = (field: FieldContent, payload: object): boolean => {
  const errors = {};
  checkDeclaredFields([field], { ...payload }, 'is not known here', errors);
  return Object.keys(errors).length === 0;
};

describe('the JSON Schema of a payload', () => {
  it.each(FIELD_TYPE_NAMES)('takes what a field of type %s takes', (type) => {
    for (const required of [true, false]) {
      const field = fieldOf(type, { required });
      const payloads = [{ one: FIELD_TYPES[type].sample(field) }, { one: null }, {}, { one: '' }, { two: 1 }];
      // An empty text is no value; JSON Schema knows nothing of the days of a month.
      const comparable = type === 'json' ? payloads.slice(2, 3) : payloads;
      for (const payload of comparable) {
        expect([payload, matches(field, payload)]).toEqual([payload, isAccepted(field, payload)]);
      }
    }
  });

  it.each<[FieldType, Partial<FieldContent>, unknown[]]>([
    ['string', { maxLength: 2, pattern: '^a' }, ['ab', 'abc', 'b', 1]],
    ['integer', { min: 1, max: 3 }, [1, 3, 0, 4, 1.5, '2']],
    ['decimal', { min: 1 }, [1, 0, '2.5', 'x']],
    ['enum', {}, ['a', 'c', 1]],
    ['boolean', {}, [true, 'true']],
    ['bigint', {}, ['9007199254740993', 5, 'x']],
    ['date', {}, ['2026-01-31', 'tomorrow']],
    ['datetime', {}, ['2026-01-31T09:30:00Z', '2026-01-31']],
    ['relation', { target: 'lead' }, ['01J9ZQ4W7N0000000000SAMPLE', 'a b']],
  ])('says of a %s with %j what is checked', (type, options, values) => {
    const field = fieldOf(type, options);
    for (const one of values) expect([one, matches(field, { one })]).toEqual([one, isAccepted(field, { one })]);
  });

  it('requires nothing that has a default, nor anything of an update', () => {
    expect(matches(fieldOf('string', { required: true, default: 'x' }), {})).toBe(true);
    expect(matches(fieldOf('string', { required: true }), {})).toBe(false);
    expect(matches(fieldOf('string', { required: true }), {}, false)).toBe(true);
  });

  it('leaves out a pattern that only RE2 understands', () => {
    expect(matches(fieldOf('string', { pattern: '(?P<x>a)' }), { one: 'b' })).toBe(true);
  });
});
