import { ApplicationError, type FieldErrors } from '../../src/foundation/errors/application-error.ts';
import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';
import type { Permissions } from '../../src/platform/metadata/permissions/permissions.ts';
import {
  compileFilters,
  compileTrustedFilters,
  escapeLike,
  ownFields,
} from '../../src/platform/records/conditions/filter-condition.ts';
import { inEnglish } from '../support/in-english.ts';
import { Parameters } from '../../src/foundation/database/parameters.ts';

const CONTENT: ModelContent = {
  name: 'Lead',
  fields: [
    { code: 'name', name: 'Name', type: 'string' },
    { code: 'status', name: 'Status', type: 'enum', values: ['open', 'won'] },
    { code: 'amount', name: 'Amount', type: 'decimal' },
    { code: 'score', name: 'Score', type: 'integer', readPermission: true },
    { code: 'urgent', name: 'Urgent', type: 'boolean' },
    { code: 'due_on', name: 'Due', type: 'date' },
    { code: 'seen_at', name: 'Seen', type: 'datetime' },
    { code: 'visits', name: 'Visits', type: 'bigint' },
    { code: 'extra', name: 'Extra', type: 'json' },
    { code: 'account', name: 'Account', type: 'relation', target: 'account' },
  ],
};
const MODEL = toModel('dev', 'lead', CONTENT);
const EVERYTHING: Permissions = { has: () => true };

/** Compiles conditions; gives the SQL, the parameters and the errors. */
function compile(conditions: unknown, permissions = EVERYTHING) {
  const parameters = new Parameters();
  const errors: FieldErrors = {};
  const sql = compileFilters(conditions, ownFields(MODEL, permissions), parameters, errors);
  return { sql: sql.join(' and '), values: parameters.values, errors: inEnglish(errors) };
}

function condition(fieldName: string, operator: string, value?: unknown) {
  return [value === undefined ? { fieldName, operator } : { fieldName, operator, value }];
}

/** What conditions find is tested over a database: `integration/record-queries`, `e2e/records-list`. */
describe('operators', () => {
  it('takes `like` with a wildcard as a pattern that Postgres accepts, whatever the backslashes', () => {
    expect(compile(condition('name', 'like', '%\\')).values).toEqual(['%\\\\']);
    expect(compile(condition('name', 'like', '50\\%%')).values).toEqual(['50\\%%']);
    expect(compile(condition('name', 'like', '%\\\\\\')).values).toEqual(['%\\\\\\\\']);
  });
});

describe('combinations', () => {
  it('no condition means no restriction', () => {
    expect(compile([])).toEqual({ sql: '', values: [], errors: {} });
  });

  it.each([
    [{ and: condition('name', 'eq', 'a'), or: condition('name', 'eq', 'b') }],
    [{ fieldName: 'name', operator: 'eq', value: 'a', or: condition('name', 'eq', 'b') }],
    [{ not: condition('name', 'eq', 'a')[0], fieldName: 'name' }],
  ])('refuses an element that mixes two kinds, instead of ignoring one: %j', (element) => {
    expect(compile([element]).errors).toHaveProperty('filters');
  });
});

describe('wrong filters are never ignored', () => {
  it.each([
    ['an object', {}],
    ['null', null],
    ['a text', 'name'],
    ['a number', 7],
  ])('%s instead of the array', (_what, filters) => {
    expect(compile(filters).errors).toHaveProperty('filters');
  });

  it.each([
    ['a text', ['name']],
    ['null', [null]],
    ['an array', [[]]],
    ['an element without fieldName', [{ operator: 'eq', value: 1 }]],
    ['an empty `or`', [{ or: [] }]],
    ['an `and` that is no array', [{ and: {} }]],
    ['a `not` that is no condition', [{ not: 7 }]],
  ])('%s as an element', (_what, filters) => {
    expect(compile(filters).errors).toHaveProperty('filters');
  });

  it.each([
    ['an unknown field', condition('nope', 'eq', 1), 'nope'],
    ['a column that is no field', condition('deleted_at', 'is_null'), 'deleted_at'],
    ['an unknown operator', condition('name', 'matches', 'a'), 'name'],
    ['a missing operator', [{ fieldName: 'name', value: 'a' }], 'name'],
    ['an operator that is no text', [{ fieldName: 'name', operator: ['eq'], value: 'a' }], 'name'],
    ['a text for an integer', condition('score', 'eq', 'many'), 'score'],
    ['a number for a text', condition('name', 'eq', 7), 'name'],
    ['a text for a boolean', condition('urgent', 'eq', 'true'), 'urgent'],
    ['a day that does not exist', condition('due_on', 'gte', '2026-02-30'), 'due_on'],
    ['a time without a zone', condition('seen_at', 'gte', '2026-01-31T09:30:00'), 'seen_at'],
    ['a missing value', condition('name', 'eq'), 'name'],
    ['null in an order', condition('amount', 'gt', null), 'amount'],
    ['one value for `in`', condition('name', 'in', 'a'), 'name'],
    ['one wrong value among those of `in`', condition('visits', 'in', ['1', 'x']), 'visits'],
    ['three values for `between`', condition('amount', 'between', [1, 2, 3]), 'amount'],
    ['an order of booleans', condition('urgent', 'gt', true), 'urgent'],
    ['an order of relations', condition('account', 'between', ['A', 'B']), 'account'],
    ['a text operator on a number', condition('amount', 'like', '7'), 'amount'],
    ['a comparison of json', condition('extra', 'eq', {}), 'extra'],
  ])('%s is reported at the field', (_what, filters, field) => {
    expect(Object.keys(compile(filters).errors)).toEqual([field]);
  });

  it.each([['__proto__'], ['constructor'], ['toString'], ['hasOwnProperty']])(
    'the field name %s is unknown, too',
    (fieldName) => {
      const { errors } = compile([{ not: { fieldName, operator: 'eq', value: 1 } }]);

      expect(Object.values(errors)).toEqual([expect.stringContaining('is not a field of lead')]);
    },
  );

  it.each([['__proto__'], ['constructor'], ['toString']])('the operator %s is unknown, too', (operator) => {
    expect(compile(condition('name', operator, 'a')).errors).toEqual({
      name: expect.stringContaining('unknown operator') as string,
    });
  });

  it('all wrong fields are reported at once', () => {
    const { errors } = compile([...condition('nope', 'eq', 1), ...condition('score', 'eq', 'x')]);

    expect(Object.keys(errors)).toEqual(['nope', 'score']);
  });
});

describe('limits', () => {
  const one = condition('urgent', 'eq', true)[0];
  const nested = (levels: number): unknown => (levels <= 1 ? one : { not: nested(levels - 1) });

  it('takes 100 conditions, and no more, wherever they stand', () => {
    expect(compile(Array(100).fill(one)).errors).toEqual({});
    expect(compile(Array(101).fill(one)).errors).toHaveProperty('filters');
    expect(compile([{ or: Array(100).fill(one) }]).errors).toHaveProperty('filters');
  });

  it('takes 8 levels, and no more', () => {
    expect(compile([nested(8)]).errors).toEqual({});
    expect(compile([nested(9)]).errors).toHaveProperty('filters');
    expect(compile([nested(5_000)]).errors).toHaveProperty('filters');
  });

  it('takes 1000 values in a list, and no more', () => {
    expect(compile(condition('name', 'in', Array(1_000).fill('a'))).errors).toEqual({});
    expect(compile(condition('name', 'in', Array(1_001).fill('a'))).errors).toHaveProperty('name');
  });
});

describe('fields that the caller may not read', () => {
  const viewer = { has: (code: string) => code !== 'field:read:lead.score' };

  it.each([
    ['a condition', condition('score', 'gt', 5)],
    ['a condition without a value', condition('score', 'is_null')],
    ['a wrong condition', condition('score', 'nope', 'x')],
    ['a condition deep inside', [{ or: [{ not: condition('score', 'eq', 1)[0] }] }]],
  ])('%s on one is FORBIDDEN with the permission', (_what, filters) => {
    const thrown = thrownBy(() => compile(filters, viewer));

    expect(thrown).toMatchObject({ code: 'FORBIDDEN', data: { permission: 'field:read:lead.score' } });
  });

  it('do not bind the conditions of the configuration itself', () => {
    expect(
      compileTrustedFilters(
        [{ fieldName: 'score', operator: 'gt', value: 5 }],
        ownFields(MODEL, EVERYTHING),
        new Parameters(),
      ),
    ).toHaveLength(1);
  });
});

describe('injection', () => {
  const HOSTILE = [
    `'; drop table dev.mt_lead; --`,
    `' or '1'='1`,
    `$1`,
    `\\'; select 1; --`,
    `"; select 1; --`,
    `%' or 1=1 --`,
    `U&'\\0027'`,
    `/* */ or true`,
  ];

  it.each(
    HOSTILE.flatMap((text) =>
      ['eq', 'ne', 'like', 'ilike', 'contains', 'starts_with', 'in', 'between'].map((operator) => [text, operator]),
    ),
  )('%s stays a parameter of %s', (text, operator) => {
    const value = operator === 'in' ? [text] : operator === 'between' ? [text, text] : text;
    const { sql, values } = compile(condition('name', operator, value));
    const harmless = operator === 'in' ? ['a'] : operator === 'between' ? ['a', 'a'] : 'a';

    expect(sql).toBe(compile(condition('name', operator, harmless)).sql);
    expect(String(values.flat()[0]).replaceAll(/\\([\\%_])/g, '$1')).toContain(text);
  });

  it.each(HOSTILE)('%s as a field name never reaches the SQL', (fieldName) => {
    const { sql, values, errors } = compile(condition(fieldName, 'eq', 'a'));

    expect({ sql, values }).toEqual({ sql: 'false', values: [] });
    expect(Object.keys(errors)).toHaveLength(1);
  });

  it.each(HOSTILE)('%s as an operator never reaches the SQL', (operator) => {
    const { sql, values } = compile(condition('name', operator, 'a'));

    expect({ sql, values }).toEqual({ sql: 'false', values: [] });
  });

  it.each(['amount', 'score', 'visits', 'urgent', 'due_on', 'seen_at', 'account'])(
    'a hostile text for %s is refused by its type',
    (fieldName) => {
      for (const text of HOSTILE) {
        expect(compile(condition(fieldName, 'eq', text)).errors).toHaveProperty(fieldName);
        expect(compile(condition(fieldName, 'in', [text])).errors).toHaveProperty(fieldName);
      }
    },
  );
});

describe('escapeLike', () => {
  it.each([
    ['a%b', 'a\\%b'],
    ['a_b', 'a\\_b'],
    ['a\\b', 'a\\\\b'],
    ['plain', 'plain'],
  ])('%s becomes %s', (text, escaped) => {
    expect(escapeLike(text)).toBe(escaped);
  });
});

describe('conditions of the configuration', () => {
  it('fail loudly where they do not fit the model: they were checked when they were saved', () => {
    expect(() =>
      compileTrustedFilters(
        [{ fieldName: 'gone', operator: 'eq', value: 1 }],
        ownFields(MODEL, EVERYTHING),
        new Parameters(),
      ),
    ).toThrow('gone is not a field of lead');
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof ApplicationError) return error;
  }
  return null;
}

it.each([
  ['in a list', (many: unknown[]) => many],
  ['in a combination', (many: unknown[]) => [{ and: many }]],
])('conditions beyond the bound %s are refused before they are looked at', (_where, listOf) => {
  const { sql, errors } = compile(listOf(Array.from({ length: 200_000 }, () => 0)));
  expect(sql.length).toBeLessThan(20);
  expect(errors).toEqual({ filters: 'must not hold more than 100 conditions' });
});
