import type { FieldErrors } from '../../src/foundation/errors/application-error.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';
import { dynamicValue, Variables } from '../../src/platform/records/conditions/dynamic-values.ts';
import { compileFilters, ownFields } from '../../src/platform/records/conditions/filter-condition.ts';
import { Parameters } from '../../src/foundation/database/parameters.ts';
import { inEnglish } from '../support/in-english.ts';

const MODEL = toModel('dev', 'lead', {
  name: 'Lead',
  fields: [
    { code: 'name', name: 'Name', type: 'string' },
    { code: 'urgent', name: 'Urgent', type: 'boolean' },
    { code: 'due_on', name: 'Due', type: 'date' },
    { code: 'visits', name: 'Visits', type: 'bigint' },
    { code: 'account', name: 'Account', type: 'relation', target: 'account' },
  ],
});
const EVERYTHING = { has: () => true };

function condition(fieldName: string, operator: string, value: unknown) {
  return [{ fieldName, operator, value }];
}

describe('variables', () => {
  const caller = { userPid: 'ME', tenantId: '7', timeZone: 'UTC', roles: ['SALES', 'VIEWER'] };
  const resolve = (conditions: unknown, lenient: boolean | null = false) => {
    const parameters = new Parameters();
    const errors: FieldErrors = {};
    const fields = ownFields(MODEL, EVERYTHING);
    const scope = lenient === null ? fields : { ...fields, variables: new Variables(caller, { lenient }) };
    compileFilters(conditions, scope, parameters, errors);
    return { values: parameters.values, errors: inEnglish(errors) };
  };
  const at = (value: string, type: 'datetime' | 'date' = 'datetime', now = '2026-03-31T10:20:30.400Z') =>
    dynamicValue(value, type, caller, new Date(now));

  it.each([
    ['$now', '2026-03-31T10:20:30.400Z'],
    ['$today', '2026-03-31T00:00:00.000Z'],
    ['$now(-90s)', '2026-03-31T10:19:00.400Z'],
    ['$now(15m)', '2026-03-31T10:35:30.400Z'],
    ['$now(+2h)', '2026-03-31T12:20:30.400Z'],
    ['$now(-7d)', '2026-03-24T10:20:30.400Z'],
    ['$today(-2w)', '2026-03-17T00:00:00.000Z'],
    ['$now(-1mo)', '2026-02-28T10:20:30.400Z'],
    ['$today(1y)', '2027-03-31T00:00:00.000Z'],
  ])('%s is %s for a datetime', (variable, value) => {
    expect(at(variable)).toEqual({ value });
    expect(at(variable, 'date')).toEqual({ value: value.slice(0, 10) });
  });

  it.each([
    ['$today', '2026-03-30T16:00:00.000Z', '2026-03-31'],
    ['$now', '2026-03-31T10:20:30.400Z', '2026-03-31'],
    ['$today(-1mo)', '2026-02-27T16:00:00.000Z', '2026-02-28'],
    ['$today(Europe/Berlin)', '2026-03-30T22:00:00.000Z', '2026-03-31'],
    // The clocks of Berlin are put forward on the 29th: a day before, they show the same.
    ['$now(-3d, Europe/Berlin)', '2026-03-28T11:20:30.400Z', '2026-03-28'],
    ['$now(-72h, Europe/Berlin)', '2026-03-28T10:20:30.400Z', '2026-03-28'],
    ['$today(-1d,America/New_York)', '2026-03-30T04:00:00.000Z', '2026-03-30'],
  ])('%s of a tenant in Shanghai is %s', (variable, moment, day) => {
    const shanghai = { ...caller, timeZone: 'Asia/Shanghai' };
    const now = new Date('2026-03-31T10:20:30.400Z');
    expect(dynamicValue(variable, 'datetime', shanghai, now)).toEqual({ value: moment });
    expect(dynamicValue(variable, 'date', shanghai, now)).toEqual({ value: day });
  });

  it.each(['$today(Asia/Shangai)', '$today(-1d, +08:00)'])('%s names no time zone', (variable) => {
    const { problem } = at(variable) as { problem: unknown };
    expect(String(problem)).toMatch(/names no time zone such as Asia\/Shanghai|needs an offset/);
  });

  it.each(['$now()', '$now(7)', '$now(-7)', '$now(7 d)', '$now(7q)', '$now(1.5d)', '$today(-7D)', '$now(123456d)'])(
    '%s is refused with the units that there are',
    (variable) => {
      const { problem } = at(variable) as { problem: unknown };
      expect(String(problem)).toBe(
        `${variable} needs an offset such as -7d: a whole number and s, m, h, d, w, mo or y`,
      );
    },
  );

  it('$me and $user.pid are the caller, $user.roles stands for several values in a list', () => {
    expect(resolve(condition('account', 'eq', '$me')).values).toEqual(['ME']);
    expect(resolve(condition('name', 'in', ['x', '$user.roles', '$user.pid'])).values).toEqual([
      ['x', 'SALES', 'VIEWER', 'ME'],
    ]);
    expect(resolve(condition('name', 'eq', '$user.tenantId')).values).toEqual(['7']);
  });

  it('others are refused at their place; $$ begins a text that begins with $', () => {
    const nested = [...condition('urgent', 'eq', true), { or: [{ not: condition('name', 'eq', '$you')[0] }] }];

    expect(resolve(nested).errors).toEqual({
      name: 'filters.1.or.0.not.value must not name $you: known are $me, $user.pid, $user.email, $user.tenantId, $user.roles, $now, $today',
    });
    expect(resolve(condition('due_on', 'between', ['$today', '$now(2)'])).errors).toHaveProperty('due_on');
    expect(resolve(condition('visits', 'eq', '$now')).errors).toHaveProperty('visits');
    expect(resolve(condition('name', 'eq', '$$you')).values).toEqual(['$you']);
    for (const text of ['$', '$5', '$ me', '$(now)']) {
      expect(resolve(condition('name', 'eq', text))).toEqual({ values: [text], errors: {} });
    }
  });

  it('look into texts for any text, and leave other texts as they are where that is allowed', () => {
    expect(resolve(condition('name', 'contains', '$you'))).toEqual({ values: ['%$you%'], errors: {} });
    expect(resolve(condition('name', 'eq', '$you'), true)).toEqual({ values: ['$you'], errors: {} });
  });

  it('stand for themselves in data', () => {
    expect(resolve(condition('name', 'eq', '$me'), null).values).toEqual(['$me']);
  });
});
