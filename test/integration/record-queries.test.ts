import fc from 'fast-check';
import { ulid } from 'ulid';
import { statsFields } from '../../src/platform/records/aggregates/record-stats.ts';
import type { RecordService } from '../../src/features/records/service/records.service.ts';
import { queryOfBody } from '../../src/platform/records/query/record-query.ts';
import type { QueryBody } from '../../src/platform/records/query/query-schema.ts';
import type { ApplicationError, FieldErrors } from '../../src/foundation/errors/application-error.ts';
import type { Actor } from '../../src/platform/auth/requests/actor.ts';
import type { Model } from '../../src/platform/metadata/models/model.ts';
import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import { insert, newModel, type TestModel } from '../support/models.ts';
import { condition, NAMES, query, row, sortFields } from '../support/record-arbitraries.ts';
import { inEnglish } from '../support/in-english.ts';
import { compare, figuresOf, matches, sorted, type Values } from '../support/record-evaluator.ts';
import { container, newTenant, type TestTenant } from '../support/world.ts';

const FIELDS: ModelContent['fields'] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'size', name: 'Size', type: 'integer', indexed: true },
  { code: 'price', name: 'Price', type: 'decimal' },
  { code: 'at', name: 'At', type: 'datetime' },
  { code: 'flag', name: 'Flag', type: 'boolean' },
  { code: 'rank', name: 'Rank', type: 'integer', required: true },
];
const PARENT_FIELDS: ModelContent['fields'] = [
  { code: 'label', name: 'Label', type: 'string' },
  { code: 'score', name: 'Score', type: 'integer' },
  { code: 'hidden', name: 'Hidden', type: 'integer', readPermission: true },
];

describe('queries of records', () => {
  let service: RecordService;
  let test: TestModel;
  let tenant: TestTenant;
  let actor: Actor;
  let model: Model;
  let all: Values[];
  let parent: TestModel;
  let boss: TestModel;

  const ask = (body: Partial<QueryBody>) => service.list(actor, test.code, { ...body, pageKey: test.code });
  const idsOf = (records: readonly Readonly<Record<string, unknown>>[]) => records.map(({ id }) => id);

  beforeAll(async () => {
    const { recordService, snapshots } = await container();
    service = recordService;
    const relation = (code: string, target: string) => ({ code, name: code, type: 'relation' as const, target });
    const rowRules = [{ name: 'Seen', unless: 'all', conditions: [{ fieldName: 'score', operator: 'ne', value: 3 }] }];
    boss = await newModel({ fields: PARENT_FIELDS, rowRules });
    parent = await newModel({ fields: [...PARENT_FIELDS, relation('boss', boss.code)], rowRules });
    test = await newModel({ fields: [...FIELDS, relation('parent', parent.code)] });
    tenant = await newTenant();
    const metadata = await snapshots.current('dev');
    const permissions = { has: (code: string) => code !== 'all' && !code.startsWith('field:read:'), codes: [] };
    actor = { tenantId: tenant.id, permissions, metadata, userPid: 'P', roles: [] } as unknown as Actor;
    model = metadata.model(test.code);
    const others = [0, 1, 2, 3, null, 3, 1].map((score, index) => {
      return { pid: ulid(), score, label: index === 6 ? null : (NAMES[index % 5] ?? null) };
    });
    const seen = ({ score }: { score: number | null }) => score !== 3;
    const elsewhere = await newTenant();
    await insert(tenant, boss.code, others);
    const [foreign = ''] = await insert(elsewhere, parent.code, [{ label: 'a', score: 1 }]);
    const parents = others.map((one, index) => ({ ...one, pid: ulid(), boss: others[(index * 3) % 7]?.pid ?? null }));
    await insert(tenant, parent.code, parents);
    const pids = [...parents.map(({ pid }) => pid), null, foreign, 'NOBODY'];
    const rows = fc.sample(row, { numRuns: 80, seed: 14 });
    await insert(
      tenant,
      test.code,
      rows.map((one, index) => ({ ...one, parent: pids[(index * 7) % pids.length] })),
    );
    const { records } = await ask({ pageSize: 500, sortFields: [{ fieldName: 'id', order: 'asc' }] });
    all = (records as Values[]).map((record) => {
      const of = parents.filter(seen).find(({ pid }) => pid === record.parent);
      const above = others.filter(seen).find(({ pid }) => pid === of?.boss);
      return {
        ...record,
        'parent.label': of?.label ?? null,
        'parent.score': of?.score ?? null,
        'parent.boss.label': above?.label ?? null,
      };
    });
    expect(all).toHaveLength(80);
    expect(all.filter((record) => record['parent.boss.label'] !== null).length).toBeGreaterThan(10);
  });

  it('find, sort, page and count as the evaluator of this test does', async () => {
    const page = fc.record({ pageNum: fc.integer({ min: 1, max: 6 }), pageSize: fc.integer({ min: 1, max: 40 }) });

    await fc.assert(
      fc.asyncProperty(query, page, async (asked, { pageNum, pageSize }) => {
        const expected = sorted(
          all.filter((record) => asked.conditions.every((one) => matches(record, one))),
          asked.sortFields,
        );
        const from = (pageNum - 1) * pageSize;
        const { records, total, nextCursor } = await ask({ ...asked, pageNum, pageSize });

        expect(idsOf(records)).toEqual(idsOf(expected.slice(from, from + pageSize)));
        expect(total).toBe(expected.length);
        expect(nextCursor === null).toBe(from + pageSize >= expected.length || records.length === 0);
      }),
      { numRuns: 160 },
    );
  });

  it('walk by cursor over the whole, in the order of the list, whatever fields are answered', async () => {
    const size = fc.integer({ min: 1, max: 30 });
    const fields = fc.constantFrom<(string[] | undefined)[]>(undefined, ['flag'], ['name', 'size']);

    await fc.assert(
      fc.asyncProperty(query, size, fields, fc.boolean(), async (asked, pageSize, named, byId) => {
        const expected = sorted(
          all.filter((record) => asked.conditions.every((one) => matches(record, one))),
          asked.sortFields,
        );
        const walked: unknown[] = [];
        let page = await ask({ ...asked, pageSize, ...(named && { fields: named }), count: 'none' });
        for (;;) {
          walked.push(...idsOf(page.records));
          if (page.nextCursor === null) break;
          const cursor = byId ? String(walked.at(-1)) : page.nextCursor;
          page = await ask({ ...asked, pageSize, ...(named && { fields: named }), cursor });
          expect(page).toMatchObject({ total: null, pageNum: null });
          if (named) expect(Object.keys(page.records[0] ?? {}).sort()).toEqual(['id', 'pid', ...named].sort());
        }

        expect(walked).toEqual(idsOf(expected));
      }),
      { numRuns: 40 },
    );
  });

  it('describe fields by figures as the evaluator of this test does, in one statement', async () => {
    const { database } = await container();
    const kinds: Record<string, Parameters<typeof figuresOf>[1]> = {
      name: 'ordered',
      size: 'number',
      price: 'number',
      at: 'ordered',
      flag: 'other',
      rank: 'number',
      'parent.label': 'ordered',
      'parent.score': 'number',
    };
    const fields = fc.subarray(Object.keys(kinds), { minLength: 1 });

    await fc.assert(
      fc.asyncProperty(fc.array(condition, { maxLength: 1 }), fields, async (given, names) => {
        const found = all.filter((record) => given.every((one) => matches(record, one)));
        const start = database.statements;
        const conditions = [...given, { fieldName: 'id', operator: 'lte', value: all.at(-1)?.id }];
        const stats = await service.stats(actor, test.code, { fields: names.join(','), conditions });

        expect(database.statements - start).toBe(1);
        expect(stats.total).toBe(found.length);
        for (const name of names) {
          const { avg, sum, ...exact } = figuresOf(
            found.map((record) => record[name] ?? null),
            kinds[name] ?? 'other',
          );
          const near = (value: unknown) => (value === null ? null : expect.closeTo(Number(value), 6));
          const { avg: mean, sum: whole, ...rest } = stats.fields[name] ?? {};
          expect([name, rest]).toEqual([name, exact]);
          expect([mean, whole].map((value) => (value === null ? null : Number(value)))).toEqual([near(avg), near(sum)]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('describe at most 20 fields, which have an order and which the caller may read', () => {
    const wrong: FieldErrors = {};
    statsFields('nope', model, actor, wrong);
    expect(inEnglish(wrong)).toEqual({ fields: `nope is not a field of ${test.code}` });
    const many: FieldErrors = {};
    statsFields(Array.from({ length: 21 }, (_, index) => `f${index}`).join(','), model, actor, many);
    expect(Object.keys(many)).toEqual(['fields']);
    expect(statsFields(undefined, model, actor, {}).map(({ name }) => name)).toEqual([
      ...FIELDS.map(({ code }) => code),
      'parent',
    ]);
    const inner = actor.metadata.model(parent.code);
    expect(statsFields(undefined, inner, actor, {}).map(({ name }) => name)).toEqual(['label', 'score', 'boss']);
    expect(() => statsFields('hidden', inner, actor, {})).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  });

  it('group and measure as the evaluator of this test does', async () => {
    const groups = fc.subarray(['name', 'flag', 'rank', 'parent.label', 'parent.boss.label'], { maxLength: 2 });
    const least = fc.option(fc.integer({ min: 1, max: 6 }));

    await fc.assert(
      fc.asyncProperty(fc.array(condition, { maxLength: 1 }), groups, least, async (conditions, by, min) => {
        const found = all.filter((record) => conditions.every((one) => matches(record, one)));
        const grouped = Map.groupBy(found, (record) => JSON.stringify(by.map((code) => record[code] ?? null)));
        if (by.length === 0 && found.length === 0) grouped.set('[]', []);
        const expected = [...grouped.values()]
          .filter(({ length }) => min === null || length >= min)
          .map((own) => {
            const sizes = own.flatMap(({ size }) => (typeof size === 'number' ? [size] : []));
            const prices = own.flatMap(({ price }) => (price === null ? [] : [Number(price)]));
            return {
              ...Object.fromEntries(by.map((code) => [code, own[0]?.[code] ?? null])),
              n: own.length,
              sizes: sizes.length,
              kinds: new Set(sizes).size,
              sum: prices.length === 0 ? null : prices.reduce((sum, price) => sum + price, 0),
              avg: sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
              max: sizes.length === 0 ? null : Math.max(...sizes),
            };
          });

        const { rows, truncated } = await service.aggregate(actor, test.code, {
          groupBy: by.map((fieldName) => ({ fieldName })),
          measures: [
            { fn: 'count', as: 'n' },
            { fn: 'count', fieldName: 'size', as: 'sizes' },
            { fn: 'countDistinct', fieldName: 'size', as: 'kinds' },
            { fn: 'sum', fieldName: 'price', as: 'sum' },
            { fn: 'avg', fieldName: 'size', as: 'avg' },
            { fn: 'max', fieldName: 'size', as: 'max' },
          ],
          conditions: [...conditions, { fieldName: 'id', operator: 'lte', value: all.at(-1)?.id }],
          ...(min !== null && { having: [{ fieldName: 'n', operator: 'gte', value: min }] }),
          limit: 1_000,
        });

        const plain = rows.map(({ sum, avg, ...row }) => ({
          ...row,
          sum: sum === null ? null : Number(sum),
          avg: avg === null ? null : expect.closeTo(Number(avg), 6),
        }));
        expect(truncated).toBe(false);
        const keyOf = (one: object) => JSON.stringify(by.map((code) => (one as Values)[code]));
        expect(expected.sort((a, b) => compare(keyOf(a), keyOf(b)))).toEqual(
          plain.sort((a, b) => compare(keyOf(a), keyOf(b))),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('a walk meets every record once, while others are written', async () => {
    const writes = fc.array(row, { minLength: 1, maxLength: 2 });

    await fc.assert(
      fc.asyncProperty(sortFields, writes, fc.integer({ min: 9, max: 25 }), async (sort, rows, pageSize) => {
        const before = await ask({ pageSize: 500, count: 'exact', sortFields: [{ fieldName: 'id', order: 'asc' }] });
        const walked: unknown[] = [];
        let cursor: string | null = null;
        do {
          const page = await ask({ sortFields: sort, pageSize, ...(cursor !== null && { cursor }) });
          walked.push(...idsOf(page.records));
          cursor = page.nextCursor;
          if (walked.length < 60) await insert(tenant, test.code, rows);
        } while (cursor !== null);

        expect(new Set(walked).size).toBe(walked.length);
        expect(idsOf(before.records).filter((id) => !walked.includes(id))).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('expand answers related records, as the caller may see them, with one statement for each relation', async () => {
    const { database } = await container();
    const [toMany, twoHops] = [`${test.code}.parent`, 'parent.boss'];
    const before = database.statements;
    const conditions = [{ fieldName: 'id', operator: 'lte', value: all.at(-1)?.id }];
    const page = await ask({ conditions, pageSize: 500, count: 'none', fields: 'name', expand: ['parent', twoHops] });

    expect(database.statements - before).toBe(3);
    const { records } = page as unknown as { records: (Values & { expanded: Record<string, Values | null> })[] };
    for (const { id, parent: pid, expanded, ...rest } of records) {
      const expected = all.find((one) => one.id === id) ?? {};
      expect(Object.keys(rest).sort()).toEqual(['name', 'pid']);
      expect(Object.keys(expanded)).toEqual(['parent', twoHops]);
      const found = expanded.parent && { label: expanded.parent.label, score: expanded.parent.score };
      const labels = { label: expected['parent.label'], score: expected['parent.score'] };
      expect(found ?? { label: null, score: null }).toEqual(labels);
      expect(expanded[twoHops]?.label ?? null).toBe(expected['parent.boss.label']);
      if (found) expect(expanded.parent).toMatchObject({ pid });
      expect(expanded.parent ?? {}).not.toHaveProperty('hidden');
    }
    const start = database.statements;
    const asked = { pageSize: 500, count: 'none', expand: `${toMany}.parent` } as const;
    const parents = await service.list(actor, parent.code, asked);
    expect(database.statements - start).toBe(3);
    for (const { pid, expanded } of parents.records as unknown as {
      pid: string;
      expanded: Record<string, { records: (Values & { expanded: { parent: Values } })[]; total: number }>;
    }[]) {
      const children = sorted(
        all.filter((one) => one.parent === pid),
        [],
      );
      const list = expanded[toMany];
      expect(list?.total).toBe(children.length);
      expect(idsOf(list?.records ?? [])).toEqual(idsOf(children.slice(0, 20)));
      for (const child of list?.records ?? []) expect(child.expanded.parent.pid).toBe(pid);
    }
  });

  it('expand refuses a path to what the caller may not read as one to nothing', () => {
    const { permissions } = actor;
    const blind = { has: (code: string) => code !== `record:read:${parent.code}` && permissions.has(code), codes: [] };
    for (const [path, who] of [
      ['nope', actor],
      ['name', actor],
      ['parent.boss.boss', actor],
      ['parent.label', actor],
      [parent.code, actor],
      [`${parent.code}.boss`, actor],
      ['parent', { ...actor, permissions: blind }],
      ['parent.boss', { ...actor, permissions: blind }],
    ] as [string, Actor][]) {
      const errors: FieldErrors = {};
      queryOfBody({ expand: [path] }, { pageKey: null, model, actor: who }, errors);
      expect(inEnglish(errors)).toEqual({ expand: `${path} is not a relation of ${test.code}` });
    }
    const errors: FieldErrors = {};
    queryOfBody({ expand: 'a,b,c,d,e,f' }, { pageKey: null, model, actor }, errors);
    expect(Object.keys(errors)).toEqual(['expand']);
    const twice: FieldErrors = {};
    const path = `${parent.code}.boss.${test.code}.parent`;
    queryOfBody({ expand: path }, { pageKey: null, model: actor.metadata.model(boss.code), actor }, twice);
    expect(inEnglish(twice)).toEqual({ expand: `${path} leads to many records twice` });
  });

  it('a path to what the caller may not read is refused as one to nothing', async () => {
    const { metadata, permissions } = actor;
    const blind = { has: (code: string) => code !== `record:read:${parent.code}` && permissions.has(code), codes: [] };
    const problem = { fieldErrors: expect.any(Object) };
    for (const [path, who] of [
      ['parent.nope', actor],
      ['parent.hidden', actor],
      ['parent.boss.hidden', actor],
      ['nope.label', actor],
      ['name.label', actor],
      ['parent.boss.boss.label', actor],
      ['parent.label', { ...actor, permissions: blind }],
      ['parent.boss.label', { ...actor, permissions: blind }],
      ['parent.', actor],
      ['.label', actor],
      ['parent.constructor', actor],
    ] as [string, Actor][]) {
      const subject = { pageKey: null, model: metadata.model(test.code), actor: who };
      const sorted: FieldErrors = {};
      queryOfBody({ sortFields: [{ fieldName: path }] }, subject, sorted);
      expect([path, inEnglish(sorted)]).toEqual([path, { 'sortFields.0.fieldName': `is not a field of ${test.code}` }]);
      const asked = { conditions: [{ fieldName: path, operator: 'is_null' }] };
      const refused = await service.list(who, test.code, asked).catch((error: unknown) => error);
      expect([path, refused]).toMatchObject([path, { code: 'VALIDATION_ERROR', data: problem }]);
      expect(inEnglish((refused as ApplicationError).data?.fieldErrors)).toEqual({
        [path]: `is not a field of ${test.code}`,
      });
    }
  });

  it('count=capped counts to 1,000, and says whether there are more', async () => {
    const other = { ...actor, tenantId: (await newTenant()).id };
    const capped = { count: 'capped', pageSize: 1 } as const;
    await insert({ id: other.tenantId, name: '' }, test.code, Array(1_000).fill({ rank: 1 }));

    expect(await service.list(other, test.code, capped)).toMatchObject({ total: 1_000, totalRelation: 'eq' });
    await insert({ id: other.tenantId, name: '' }, test.code, [{ rank: 1 }]);
    expect(await service.list(other, test.code, capped)).toMatchObject({ total: 1_000, totalRelation: 'gte' });
  });
});
