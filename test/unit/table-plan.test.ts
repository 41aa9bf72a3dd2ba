import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { ExistingTable } from '../../src/platform/metadata/models/tables/existing-table.ts';
import { planTable } from '../../src/platform/metadata/models/tables/model-table.ts';
import { uniqueIndexName } from '../../src/platform/metadata/models/tables/table-indexes.ts';
import { inEnglish } from '../support/in-english.ts';

type Columns = Record<string, string>;

const TYPES: [FieldContent['type'], string][] = [
  ['string', 'text'],
  ['text', 'text'],
  ['integer', 'integer'],
  ['bigint', 'bigint'],
  ['decimal', 'numeric'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['datetime', 'timestamp(3) with time zone'],
  ['enum', 'text'],
  ['json', 'jsonb'],
  ['relation', 'character varying(32)'],
  ['file', 'character varying(32)'],
];

const field = (rest: Partial<FieldContent> = {}): FieldContent => ({ code: 'f', name: 'F', type: 'string', ...rest });
const model = (...fields: FieldContent[]): ModelContent => ({ name: 'M', fields });

/** A table with these columns; a type that ends in `!` refuses null. */
function table(columns: Columns, indexes: string[] = [], columnsMade = 20): ExistingTable {
  const entries = Object.entries(columns).map(
    ([name, type]) => [name, { type: type.replace('!', ''), notNull: type.endsWith('!') }] as const,
  );
  return {
    columnsMade,
    columns: new Map(entries),
    indexes: new Set(indexes),
    invalidIndexes: new Set(),
    checks: new Set(),
  };
}

/** What is planned for a model whose only field is `f`, of the table `dev.mt_m`. */
function plan(existing: ExistingTable | null, ...fields: FieldContent[]) {
  const { statements, impossible } = planTable('dev', 'm', model(...fields), existing, true);
  return {
    statements: statements.map((text) => text.replace('alter table "dev"."mt_m" ', '')),
    impossible: inEnglish(impossible),
  };
}

describe('a new model', () => {
  const { statements } = plan(null, field());

  it('gets the table mt_<modelCode> in the schema of its environment, with the system columns of the spec', () => {
    const create = statements[0] ?? '';
    expect(create).toMatch(/^create table "dev"\."mt_m" \(/);
    for (const column of [
      'id bigint generated always as identity primary key',
      'pid varchar(32) not null unique',
      'tenant_id bigint not null',
      'created_at timestamptz(3) not null default now()',
      'version int not null default 1',
      'deleted_at timestamptz(3)',
    ]) {
      expect(create).toContain(`\n  ${column}`);
    }
  });

  it('gets the index of the default sort', () => {
    expect(statements).toContainEqual(
      expect.stringContaining('(tenant_id, created_at desc, id desc) where deleted_at is null'),
    );
  });

  it('gets row-level security that binds its owner, too, and no right to delete', () => {
    expect(statements).toContain('enable row level security');
    expect(statements).toContain('force row level security');
    expect(statements.filter((text) => text.startsWith('grant'))).toEqual([
      'grant select, insert, update on "dev"."mt_m" to keelson_app',
    ]);
  });

  it.each(TYPES)('stores %s as %s', (type, column) => {
    expect(plan(null, field({ type })).statements).toContain(`add column "f" ${column}`);
    expect(plan(null, field({ type, required: true })).statements).toContain(`add column "f" ${column} not null`);
  });
});

describe('a table that is what the model says', () => {
  it.each(TYPES)('needs no statement (%s)', (type, column) => {
    const existing = table(
      { f: column, id: 'bigint!', tenant_id: 'bigint!' },
      type === 'relation' ? ['ix_m_f_sort'] : [],
    );

    expect(plan(existing, field({ type }))).toEqual({ statements: [], impossible: {} });
  });
});

describe('a field that is added', () => {
  it('becomes a column', () => {
    expect(plan(table({ f: 'text' }), field(), field({ code: 'g', type: 'date' })).statements).toEqual([
      'add column "g" date',
    ]);
  });

  it('fills the records that are there with its default if it is required, and leaves later ones to the program', () => {
    const added = (rest: Partial<FieldContent>) =>
      plan(table({ f: 'text' }), field(), field({ code: 'g', ...rest })).statements;

    expect(added({ required: true, default: "it's ? \\" })).toEqual([
      `add column "g" text not null default 'it''s ? \\'::text`,
      'alter column "g" drop default',
    ]);
    expect(added({ type: 'integer', required: true, default: 0 })[0]).toBe(
      `add column "g" integer not null default '0'::integer`,
    );
    expect(added({ type: 'json', required: true, default: { a: 1 } })[0]).toBe(
      `add column "g" jsonb not null default '{"a":1}'::jsonb`,
    );
    expect(added({ default: 'x' })).toEqual(['add column "g" text']);
    expect(added({ required: true })).toEqual(['add column "g" text not null']);
  });
});

describe('a field that changes its type', () => {
  const WIDER: [from: string, to: FieldContent['type'][]][] = [
    ['integer', ['bigint', 'decimal', 'string', 'text', 'enum']],
    ['bigint', ['decimal', 'string', 'text', 'enum']],
    ['character varying(32)', ['string', 'text', 'enum', 'relation', 'file']],
    ['text', ['string', 'text', 'enum']],
    ...TYPES.filter(([, column]) => !/text|int|varying/.test(column)).map(
      ([type, column]): [string, FieldContent['type'][]] => [column, [type]],
    ),
  ];

  it.each(WIDER)('from %s can become %j, whose values include all of its own; nothing else', (from, wider) => {
    for (const [type, column] of TYPES) {
      const { statements, impossible } = plan(table({ f: from }), field({ type }));
      if (from === column) expect(impossible).toEqual({});
      else if (wider.includes(type)) {
        expect({ statements: statements.slice(0, 1), impossible }).toEqual({
          statements: [`alter column "f" type ${column} using "f"::${column}`],
          impossible: {},
        });
      } else {
        expect(impossible).toEqual({
          f: `cannot become ${type}: the column is ${from} and may hold other values`,
        });
      }
    }
  });
});

describe('required', () => {
  it('comes and goes with the option', () => {
    expect(plan(table({ f: 'text' }), field({ required: true })).statements).toEqual(['alter column "f" set not null']);
    expect(plan(table({ f: 'text!' }), field()).statements).toEqual(['alter column "f" drop not null']);
    expect(plan(table({ f: 'text!' }), field({ required: true })).statements).toEqual([]);
  });
});

describe('a field that leaves the model', () => {
  it('keeps its column and data, but no longer makes inserts fail', () => {
    const existing = table({ f: 'text', gone: 'integer!', old: 'text', pid: 'character varying(32)!', id: 'bigint!' });

    expect(plan(existing, field()).statements).toEqual(['alter column "gone" drop not null']);
  });
});

describe('a table that has had 1,600 columns', () => {
  it('has no place for another field, and says how many columns are of removed ones', () => {
    const full = table({ f: 'text', gone: 'text', id: 'bigint!' }, [], 1_599);
    const fields = ['f', 'g', 'h'].map((code) => field({ code }));

    expect(plan(full, ...fields).impossible).toEqual({
      h: 'has no place: a table has 1600 columns, 1 of which are of removed fields: renamedFrom takes one over, keelson fields drop --rewrite frees all',
    });
  });
});

describe('indexes', () => {
  const indexesOf = (...fields: FieldContent[]) =>
    plan(table({ f: fields.some(({ required }) => required) ? 'text!' : 'text' }), ...fields).statements.filter(
      (text) => text.includes('index'),
    );

  it.each<[string, Partial<FieldContent>, string]>([
    ['unique', { unique: true }, 'create unique index "ix_m_f_key" on "dev"."mt_m" (tenant_id, "f")'],
    [
      'indexed',
      { indexed: true },
      'create index "ix_m_f_sort" on "dev"."mt_m" (tenant_id, "f", created_at desc, id desc)',
    ],
    [
      'searchable',
      { searchable: true },
      'create index "ix_m_f_keyword" on "dev"."mt_m" using gin ("f" platform.keyword_ops)',
    ],
  ])('%s means one over live records, made once', (option, rest, statement) => {
    const required = { required: true };
    expect(indexesOf(field({ ...rest, ...required }))).toEqual([`${statement} where deleted_at is null`]);
    const name = /"(ix_[^"]+)"/.exec(statement)?.[1] ?? '';
    const existing = (...indexes: string[]) => table({ f: 'text!' }, indexes);
    expect(plan(existing(name), field({ [option]: true, ...required })).statements).toEqual([]);
    expect(plan(existing(name, 'mt_m_pkey', 'ix_m_created_at_list'), field(required)).statements).toEqual([
      `drop index "dev"."${name}"`,
    ]);
  });

  it.each(['indexed', 'unique'])(
    '%s adds a descending one where values may be missing, as they come last',
    (option) => {
      const descending = 'create index "ix_m_f_desc" on "dev"."mt_m" (tenant_id, "f" desc nulls last, id desc)';
      expect(indexesOf(field({ [option]: true }))).toContain(`${descending} where deleted_at is null`);
      expect(plan(table({ f: 'text' }, ['ix_m_f_desc']), field()).statements).toEqual([
        'drop index "dev"."ix_m_f_desc"',
      ]);
    },
  );

  it('a relation is indexed of itself', () => {
    expect(plan(table({ f: 'character varying(32)' }), field({ type: 'relation', target: 'm' })).statements).toEqual([
      expect.stringContaining('create index "ix_m_f_sort"'),
    ]);
  });

  it('searchable works without the operator class of keywords, just without an index', () => {
    const { statements } = planTable('dev', 'm', model(field({ searchable: true })), table({ f: 'text' }), false);

    expect(statements).toEqual([]);
  });

  it('have names that no other model or field of the schema can have', () => {
    const long = 'a'.repeat(48);
    const pairs = [
      ['deal', 'line_sku'],
      ['deal_line', 'sku'],
      ['deal_line_sku', 'sku'],
      [long, long],
      [long, `${long.slice(1)}b`],
      [`${long.slice(1)}b`, long],
    ] as const;
    const names = pairs.map(([modelCode, fieldCode]) => uniqueIndexName(modelCode, fieldCode));

    expect(new Set(names).size).toBe(pairs.length);
    for (const name of names) expect(name).toMatch(/^ix_[a-z0-9_]{1,60}$/);
  });
});

describe('identifiers', () => {
  it.each(['a"b', 'a b', 'A', '', 'a;', 'ä', '1a', 'a.b', 'a'.repeat(64)])('refuse to stand in SQL as %j', (code) => {
    expect(() => planTable('dev', 'm', model(field({ code })), null, true)).toThrow('not an identifier');
    expect(() => planTable(code, 'm', model(field()), null, true)).toThrow('not an identifier');
  });
});
