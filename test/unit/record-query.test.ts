import { Ajv2020 } from 'ajv/dist/2020.js';
import { spyOn } from 'jest-mock';
import { ApplicationError, type FieldErrors } from '../../src/foundation/errors/application-error.ts';
import type { Actor } from '../../src/platform/auth/requests/actor.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';
import type { Permissions } from '../../src/platform/metadata/permissions/permissions.ts';
import { QUERY_BODY } from '../../src/platform/records/query/query-schema.ts';
import { validate, validFields } from '../../src/foundation/validation/validate.ts';
import { inEnglish } from '../support/in-english.ts';
import { parseListQuery, queryOfBody } from '../../src/platform/records/query/record-query.ts';

const MODEL = toModel('dev', 'lead', {
  name: 'Lead',
  fields: [
    { code: 'name', name: 'Name', type: 'string' },
    { code: 'score', name: 'Score', type: 'integer', readPermission: true },
    { code: 'extra', name: 'Extra', type: 'json' },
  ],
});
const NO_METADATA = { find: () => undefined, models: new Map() };
const EVERYTHING: Permissions = { has: () => true };
const VIEWER = { has: (code: string) => code !== 'field:read:lead.score' };

const actorWith = (permissions: Permissions) => ({ permissions, metadata: NO_METADATA }) as unknown as Actor;
const parse = (query: Record<string, unknown>, permissions = EVERYTHING) =>
  parseListQuery(query, { model: MODEL, actor: actorWith(permissions) });

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
      expect(parse(query)).toMatchObject({
        pageNum: 1,
        pageSize: 10,
        keyword: null,
        sortFields: [{ fieldName: 'created_at', order: 'desc' }],
        conditions: { name: 'filters', given: [] },
        fields: null,
        expand: [],
        count: 'exact',
        cursor: null,
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
    expect(parse({ sortField }).sortFields).toEqual([{ fieldName: sortField, order: 'desc' }]);
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
    expect(parse({ sortOrder }).sortFields).toEqual([{ fieldName: 'created_at', order: expected }]);
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
  it('are read as JSON, and judged with everything else', () => {
    const filters = '[{"fieldName":"name","operator":"is_null"}]';

    expect(parse({ filters }).conditions.given).toEqual([{ fieldName: 'name', operator: 'is_null' }]);
    expect(errorOf({ filters: '[{"fieldName":"name"}]', sortField: 'nope', pageSize: '0' }).data).toEqual({
      fieldErrors: {
        name: 'its condition needs an operator',
        sortField: 'is not a field of lead',
        pageSize: expect.any(String),
      },
    });
  });

  it.each(['[', 'name=1', "[{'a':1}]"])('that are not JSON are refused: %s', (filters) => {
    expect(errorOf({ filters }).data).toEqual({ fieldErrors: { filters: 'is not valid JSON' } });
  });
});

describe('sortFields', () => {
  it('are judged by a schema that is compiled once, and not kept once more for each request', () => {
    const query = { sortFields: '[{"fieldName":"name"}]', extraParams: '{"a":1}' };
    parse(query);
    const compile = spyOn(Ajv2020.prototype, 'compile');
    parse(query);

    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });

  it('sort by several fields, the first first; an order is desc where none is named', () => {
    const sortFields = '[{"fieldName":"name","order":"ASC"},{"fieldName":"score"}]';

    expect(parse({ sortFields }).sortFields).toEqual([
      { fieldName: 'name', order: 'asc' },
      { fieldName: 'score', order: 'desc' },
    ]);
  });

  it('stand in the place of sortField and sortOrder', () => {
    const query = { sortFields: '[{"fieldName":"name"}]', sortField: 'score', sortOrder: 'asc' };

    expect(parse(query).sortFields).toEqual([{ fieldName: 'name', order: 'desc' }]);
  });

  it.each([
    ['[', 'sortFields'],
    ['{}', 'sortFields'],
    ['[{"order":"asc"}]', 'sortFields.0.fieldName'],
    ['[{"fieldName":"name","order":"up"}]', 'sortFields.0.order'],
    ['[{"fieldName":"name"},{"fieldName":"nope"}]', 'sortFields.1.fieldName'],
    ['[{"fieldName":"name"},{"fieldName":"name"}]', 'sortFields.1.fieldName'],
    ['[{"fieldName":"extra"}]', 'sortFields.0.fieldName'],
    [JSON.stringify(Array(11).fill({ fieldName: 'name' })), 'sortFields'],
  ])('that are wrong are refused: %s', (sortFields, place) => {
    expect(Object.keys(errorOf({ sortFields }).data?.fieldErrors as object)).toEqual([place]);
  });
});

describe('fields', () => {
  it('are those that are named, and id and pid', () => {
    expect(parse({ fields: 'name, score' }).fields).toEqual(new Set(['id', 'pid', 'name', 'score']));
  });

  it('that are not of the model are refused; one that the caller may not read is FORBIDDEN', () => {
    expect(errorOf({ fields: 'name,nope' }).data).toEqual({
      fieldErrors: { fields: 'nope is not a field of lead' },
    });
    expect(errorOf({ fields: 'score' }, VIEWER)).toMatchObject({ data: { permission: 'field:read:lead.score' } });
  });
});

describe('a cursor', () => {
  it('stands in the place of pageNum, and counts nothing unless that is asked for', () => {
    expect(parse({ cursor: '7' })).toMatchObject({ cursor: '7', count: 'none' });
    expect(parse({ cursor: '7', count: 'exact' })).toMatchObject({ count: 'exact' });
    expect(errorOf({ cursor: '7', pageNum: '1' }).data).toEqual({
      fieldErrors: { pageNum: 'is not for a page after a cursor' },
    });
  });
});

describe('the body of a query', () => {
  const parseBody = (body: object) => {
    const errors: FieldErrors = validate(QUERY_BODY, body);
    const subject = { pageKey: null, model: MODEL, actor: actorWith(EVERYTHING) };
    const query = queryOfBody(validFields(body, errors), subject, errors);
    return { query, errors: inEnglish(errors) };
  };

  it('asks for the same as the names of a list', () => {
    const conditions = [{ fieldName: 'name', operator: 'eq', value: 'a' }];
    const sortFields = [{ fieldName: 'name', order: 'asc' }];
    const body = { pageNum: 2, pageSize: 5, conditions, sortFields, keyword: 'k', fields: ['name'], count: 'none' };
    const names = { pageNum: '2', pageSize: '5', filters: JSON.stringify(conditions), fields: 'name', count: 'none' };

    const { query, errors } = parseBody({ ...body, extraParams: { a: 1 } });

    expect(errors).toEqual({});
    const listed = parse({ ...names, sortFields: JSON.stringify(sortFields), keyword: 'k', extraParams: '{"a":1}' });
    expect({ ...query, conditions, select: null }).toEqual({ ...listed, conditions, select: null });
    expect(query.select.page(5, null, null)).toEqual(listed.select.page(5, null, null));
    expect(parseBody({}).query).toMatchObject({ pageNum: 1, pageSize: 10, count: 'exact', fields: null });
    expect(parseBody({ cursor: 7 }).query).toMatchObject({ cursor: '7' });
  });

  it('that is wrong is refused at the key that is wrong', () => {
    const body = {
      pageNum: 0,
      sortFields: [{ fieldName: 'nope' }],
      fields: 'nope',
      viewId: '',
      extraParams: [],
      a: 1,
    };

    expect(Object.keys(parseBody(body).errors).sort()).toEqual(
      ['a', 'extraParams', 'fields', 'pageNum', 'sortFields.0.fieldName', 'viewId'].sort(),
    );
  });

  it('that names more than 200 values is refused, as is the same in a query string', () => {
    const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 1]));
    const refused = { extraParams: 'must have 0 to 200 entries' };

    expect(parseBody({ extraParams: values(200) }).errors).toEqual({});
    expect(parseBody({ extraParams: values(201) }).errors).toEqual(refused);
    expect(errorOf({ extraParams: JSON.stringify(values(201)) }).data).toEqual({ fieldErrors: refused });
  });
});

describe('count', () => {
  it.each(['exact', 'estimate', 'none', 'capped'])('takes %s', (count) => {
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

  it('that mean nothing are ignored: page is not pageNum', () => {
    const query = { page: '3', size: '50', limit: '5', pageNum: '2' };

    expect(parse(query)).toMatchObject({ pageNum: 2, pageSize: 10 });
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
