import { inspectSql } from '../../src/features/datasources/sql/sql-guard.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { inEnglish } from '../support/in-english.ts';

const PARAMS: FieldContent[] = [
  { code: 'status', name: 'Status', type: 'string' },
  { code: 'size', name: 'Size', type: 'integer' },
  { code: 'at', name: 'At', type: 'datetime' },
  { code: 'keys', name: 'Keys', type: 'json' },
];

async function bound(sql: string) {
  const inspection = await inspectSql(sql, PARAMS);
  if ('problem' in inspection) return { problem: inEnglish(inspection.problem) };
  return { text: inspection.text, params: inspection.params.map(({ code }) => code) };
}

describe('a param in the SQL of a data source', () => {
  it.each([
    ['select * from mt_lead where status = :status', 'status = ($1::text)', ['status']],
    ['select :size + :size, :status', 'select ($1::integer) + ($1::integer), ($2::text)', ['size', 'status']],
    ['select * from mt_lead where created_at >= :at', 'created_at >= ($1::timestamptz)', ['at']],
    ['select :keys->0, :keys::text', 'select ($1::jsonb)->0, ($1::jsonb)::text', ['keys']],
    ['select :status::varchar(3)', 'select ($1::text)::varchar(3)', ['status']],
    ['select * from mt_lead limit :size', 'limit ($1::integer)', ['size']],
    ['select (array[1, 2])[1 : 2], :size', '(array[1, 2])[1 : 2], ($1::integer)', ['size']],
  ])('becomes a parameter with its type: %s', async (sql, text, params) => {
    const found = await bound(sql);
    expect(found).toMatchObject({ params });
    expect(found.text).toContain(text);
  });

  it.each([
    `select ':status', 'it''s :status'`,
    `select e':status \\' :size'`,
    `select $$ :status $$, $a$ :size $$ :at $a$`,
    `select 1 as ":status", U&"d!003astatus" uescape '!' from (select 1 as "d:status") x`,
    'select 1 -- :status',
    'select /* :status */ 1',
    'select 1::text, make_interval(days := 1)',
    `select 1 as a$b$c$b$`,
  ])('is none within texts, names, comments and casts: %s', async (sql) => {
    expect(await bound(sql)).toEqual({ text: sql, params: [] });
  });

  it.each([
    ['select $1', 'uses a parameter such as $1, which a data source may not use'],
    ['select :status, $2', 'uses a parameter such as $1, which a data source may not use'],
    ['select /* /* */ :status */ 1', 'names a parameter where no value can stand'],
    ['select * from mt_:status', 'calls mt_, which a data source may not call'],
    ['select * from :status', 'is not valid SQL: syntax error at or near "$1" (line 1, column 15)'],
    ['select 1 as :status', 'is not valid SQL: syntax error at or near "(" (line 1, column 13)'],
    ['select pg_sleep(:size)', 'calls pg_sleep, which a data source may not call'],
    ['select interval :status', 'is not valid SQL: syntax error at or near "$1" (line 1, column 17)'],
  ])('stands for a value and nothing else: %s', async (sql, problem) => {
    expect(await bound(sql)).toEqual({ problem });
  });

  it('that is not declared stays, and is refused by the parser', async () => {
    expect((await bound('select :nope')).problem).toMatch(/^is not valid SQL: syntax error at or near ":"/);
  });
});

describe('a problem in SQL', () => {
  it.each([
    ['select 1\n  fro x y', 'line 2, column 7'],
    ["select 'é😀' fro x y", 'line 1, column 18'],
    ['select :size, :status, :size\nfrom mt_lead where where', 'line 2, column 20'],
    ['select 1 +', 'line 1, column 11'],
  ])('has its line and column in the text of the author: %s', async (sql, place) => {
    expect((await bound(sql)).problem).toContain(`(${place})`);
  });
});
