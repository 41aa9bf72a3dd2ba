import { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';
import type { Permissions } from '../../src/platform/metadata/permissions/permissions.ts';
import { inEnglish } from '../support/in-english.ts';
import { ignoredNames, parseListQuery } from '../../src/features/records/list-query.ts';

const MODEL = toModel('dev', 'lead', {
  name: 'Lead',
  fields: [
    { code: 'name', name: 'Name', type: 'string' },
    { code: 'score', name: 'Score', type: 'integer', readPermission: true },
    { code: 'extra', name: 'Extra', type: 'json' },
  ],
});
const EVERYTHING: Permissions = { has: () => true };
const VIEWER = { has: (code: string) => code !== 'field:read:lead.score' };

const parse = (query: Record<string, unknown>, permissions = EVERYTHING) => parseListQuery(query, MODEL, permissions);

function errorOf(query: Record<string, unknown>, permissions = EVERYTHING) {
  try {
    parse(query, permissions);
  } catch (error) {
    if (error instanceof ApplicationError) return { code: error.code, data: inEnglish(error.data) };
    throw error;
  }
  throw new Error('the query was accepted');
}

describe('a list without parameters', () => {
  it.each([[{}], [{ pageNum: '', pageSize: '', keyword: '', sortField: '', sortOrder: '', filters: '', count: '' }]])(
    'asks for the first 10 records, the newest first: %j',
    (query) => {
      expect(parse(query)).toEqual({
        pageNum: 1,
        pageSize: 10,
        keyword: null,
        sortField: 'created_at',
        sortOrder: 'desc',
        filters: [],
        count: 'exact',
      });
    },
  );
});

describe('pageNum and pageSize', () => {
  it.each([
    ['1', '1'],
    ['7', '500'],
    ['1000000', '10'],
  ])('take page %s of size %s', (pageNum, pageSize) => {
    expect(parse({ pageNum, pageSize })).toMatchObject({ pageNum: Number(pageNum), pageSize: Number(pageSize) });
  });

  it.each(['0', '-1', '1.5', '1e3', 'one', ' 1', '1000001', '99999999999999999999', '0x10'])(
    'refuse pageNum=%s',
    (pageNum) => {
      expect(errorOf({ pageNum })).toMatchObject({
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { pageNum: expect.any(String) as string } },
      });
    },
  );

  it.each(['0', '-1', '501', '10.0', 'all', '+5'])('refuse pageSize=%s', (pageSize) => {
    expect(errorOf({ pageSize }).data).toEqual({ fieldErrors: { pageSize: 'must be a whole number from 1 to 500' } });
  });
});

describe('sortField and sortOrder', () => {
  it.each(['name', 'id', 'pid', 'created_at', 'version', 'score'])('sort by the field %s', (sortField) => {
    expect(parse({ sortField }).sortField).toBe(sortField);
  });

  it.each(['nope', 'deleted_at', 'name desc', 'name; drop table x', '__proto__', 'constructor', '"name"', 'extra'])(
    'refuse sortField=%s',
    (sortField) => {
      expect(errorOf({ sortField }).data).toEqual({ fieldErrors: { sortField: expect.any(String) as string } });
    },
  );

  it('refuse to sort by a field the caller may not read, naming the permission', () => {
    expect(errorOf({ sortField: 'score' }, VIEWER)).toMatchObject({
      code: 'FORBIDDEN',
      data: { permission: 'field:read:lead.score' },
    });
  });

  it.each([
    ['asc', 'asc'],
    ['DESC', 'desc'],
    ['Asc', 'asc'],
  ])('take the order %s', (sortOrder, expected) => {
    expect(parse({ sortOrder }).sortOrder).toBe(expected);
  });

  it.each(['up', 'asc, id', 'desc nulls last'])('refuse the order %s', (sortOrder) => {
    expect(errorOf({ sortOrder }).data).toEqual({ fieldErrors: { sortOrder: 'must be one of desc, asc' } });
  });
});

describe('keyword', () => {
  it.each(['acme', '  ', '100%', 'a'.repeat(200)])('takes the text %j as it is', (keyword) => {
    expect(parse({ keyword }).keyword).toBe(keyword);
  });

  it.each(['a'.repeat(201), 'a\0', '\ud800'])('refuses %j', (keyword) => {
    expect(errorOf({ keyword }).data).toHaveProperty('fieldErrors.keyword');
  });
});

describe('filters', () => {
  it('are read as JSON and judged later', () => {
    expect(parse({ filters: '[{"fieldName":"name"}]' }).filters).toEqual([{ fieldName: 'name' }]);
  });

  it.each(['[', 'name=1', "[{'a':1}]"])('that are not JSON are refused: %s', (filters) => {
    expect(errorOf({ filters }).data).toEqual({ fieldErrors: { filters: 'is not valid JSON' } });
  });
});

describe('count', () => {
  it.each(['exact', 'estimate', 'none'])('takes %s', (count) => {
    expect(parse({ count }).count).toBe(count);
  });

  it('refuses anything else', () => {
    expect(errorOf({ count: 'some' }).data).toHaveProperty('fieldErrors.count');
  });
});

describe('names of the query', () => {
  it.each(['pageNum', 'pageSize', 'keyword', 'sortField', 'sortOrder', 'filters', 'count'])(
    '%s given twice is refused',
    (name) => {
      expect(errorOf({ [name]: ['1', '2'] }).data).toHaveProperty(`fieldErrors.${name}`);
    },
  );

  it('that mean nothing are ignored and reported: page is not pageNum', () => {
    const query = { page: '3', size: '50', limit: '5', pageNum: '2' };

    expect(parse(query)).toMatchObject({ pageNum: 2, pageSize: 10 });
    expect(ignoredNames(query)).toEqual(['page', 'size', 'limit']);
  });

  it('that are wrong are reported all at once', () => {
    const error = errorOf({
      pageNum: '0',
      pageSize: '501',
      sortField: 'nope',
      sortOrder: 'up',
      filters: '[',
      count: 'x',
    });

    expect(Object.keys(error.data?.fieldErrors as object).sort()).toEqual(
      ['count', 'filters', 'pageNum', 'pageSize', 'sortField', 'sortOrder'].sort(),
    );
  });
});
