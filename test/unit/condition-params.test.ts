import { paramsInConditions, withValues } from '../../src/features/datasources/params/params.ts';

const is = (fieldName: string, value: unknown, operator = 'eq') => ({ fieldName, operator, value });
const CONDITIONS = [
  is('status', '$params.status'),
  { or: [is('size', ['$params.from', '$params.to'], 'between'), { not: is('name', '$params.name') }] },
  { and: [is('owner', '$me')] },
];

describe('the conditions of a data source', () => {
  it('name params anywhere', () => {
    expect(paramsInConditions(CONDITIONS)).toEqual(['status', 'from', 'to', 'name']);
    expect(paramsInConditions(CONDITIONS, 'size')).toEqual(['from', 'to']);
  });

  it('get the values of params, which are no variables and no params', () => {
    expect(withValues(CONDITIONS, { status: '$me', from: 1, to: 2, name: '$params.status' })).toEqual([
      is('status', '$$me'),
      { or: [is('size', [1, 2], 'between'), { not: is('name', '$$params.status') }] },
      { and: [is('owner', '$me')] },
    ]);
  });

  it('do not apply where their param has no value', () => {
    expect(withValues(CONDITIONS, { status: 'open', from: 1, to: null, name: null })).toEqual([
      is('status', 'open'),
      { and: [is('owner', '$me')] },
    ]);
    expect(withValues(CONDITIONS, { status: null, from: 1, to: null, name: 'a' })).toEqual([
      { or: [{ not: is('name', 'a') }] },
      { and: [is('owner', '$me')] },
    ]);
  });
});
