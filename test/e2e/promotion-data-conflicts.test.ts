import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { dataOf, refusal } from '../support/api.ts';
import { changeModel, modelDraft, newCode, save, name, size } from '../support/models.ts';
import {
  choose,
  columnsIn,
  conflictsOf,
  contentIn,
  insertInto,
  newUnits,
  removeFrom,
  renamePage,
  resourceIn,
  platformAdmin,
} from '../support/promotions.ts';
import { runSql } from '../support/platform.ts';
import { newTenant } from '../support/world.ts';

const admin = platformAdmin();

describe('DESTRUCTIVE_SCHEMA', () => {
  /** A model in staging with records, whose field `size` has left dev. */
  async function shrunk() {
    const model = await newUnits([name, size]);
    await admin.promote(model.units);
    await insertInto('staging', admin.tenant, model.code, [
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
      { name: 'c' },
    ]);
    await insertInto('staging', await newTenant(), model.code, [{ name: 'd', size: 3 }]);
    await changeModel(model, { fields: [name] });
    return model;
  }

  it('counts the records of all tenants, does not block the validation, and takes consent per resource to apply', async () => {
    const model = await shrunk();
    const pid = await admin.created([model.model]);

    const promotion = dataOf(await admin.validate(pid));
    expect(promotion).toMatchObject({
      status: 'VALIDATED',
      conflicts: [{ type: 'DESTRUCTIVE_SCHEMA', severity: 'consent', details: { field: 'size', rows: 3 } }],
    });
    expect(refusal(await admin.apply(pid))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'CONSENT_REQUIRED', resources: [{ resourcePid: model.model.resourcePid, code: model.code }] },
    });
    expect(refusal(await admin.apply(pid, { consent: ['another'] }))).toMatchObject({ code: 'CONFLICT' });
    expect(dataOf(await admin.promotion(pid))).toMatchObject({ status: 'VALIDATED', failureReason: null });
    expect(dataOf(await admin.apply(pid, { consent: [model.model.resourcePid] }))).toMatchObject({ status: 'APPLIED' });
  });

  it('takes a resolution for consent, too', async () => {
    const model = await shrunk();
    const pid = await admin.created([model.model]);

    await admin.validate(pid, choose(model.model.resourcePid, 'DESTRUCTIVE_SCHEMA', 'use_source'));
    expect(dataOf(await admin.apply(pid))).toMatchObject({ status: 'APPLIED' });
    expect((await contentIn('staging', 'MODEL', model.code))?.fields).toHaveLength(1);
  });

  it('is none where no record has a value', async () => {
    const model = await newUnits([name, size]);
    await admin.promote(model.units);
    await insertInto('staging', admin.tenant, model.code, [{ name: 'a' }]);
    await changeModel(model, { fields: [name] });

    expect(dataOf(await admin.validate(await admin.created([model.model]))).conflicts).toEqual([]);
  });

  it('is the removal of a model with records; its table stays, out of reach', async () => {
    const model = await newUnits([name]);
    await admin.promote([model.model]);
    await insertInto('staging', admin.tenant, model.code, [{ name: 'a' }, { name: 'b' }]);
    await removeFrom('dev', 'PAGE_SCHEMA', model.code);
    await removeFrom('dev', 'COMMAND', model.command);
    await removeFrom('dev', 'MODEL', model.code);
    const pid = await admin.created([model.model]);

    expect(dataOf(await admin.validate(pid)).conflicts).toMatchObject([
      { type: 'DESTRUCTIVE_SCHEMA', details: { rows: 2 } },
    ]);
    dataOf(await admin.apply(pid, { consent: [model.model.resourcePid] }));
    expect(await resourceIn('staging', 'MODEL', model.code)).toBeNull();
    expect(await runSql(`select name from staging.mt_${model.code} order by 1`)).toEqual([
      { name: 'a' },
      { name: 'b' },
    ]);
  });
});

describe('DATA_INCOMPATIBLE', () => {
  /** A model in staging with these records, changed in dev to other fields. */
  async function changed(before: FieldContent[], records: Record<string, unknown>[], after: FieldContent[]) {
    const model = await newUnits(before);
    await admin.promote([model.model]);
    await insertInto('staging', admin.tenant, model.code, records);
    await changeModel(model, { fields: after });
    return { ...model, pid: await admin.created([model.model]) };
  }

  it('counts the records that lack what would be required, deleted ones too', async () => {
    const records = [{ name: 'a', size: 1 }, { name: 'b' }, { name: 'c' }];
    const { code, pid } = await changed([name, size], records, [name, { ...size, required: true }]);
    await runSql(`update staging.mt_${code} set deleted_at = now() where name = 'c'`);

    expect((await admin.conflicting(pid)).conflicts).toMatchObject([
      {
        type: 'DATA_INCOMPATIBLE',
        resolutions: ['keep_target'],
        message: 'size is required, and 2 records lack it',
        details: { field: 'size', rows: 2 },
      },
    ]);
  });

  it('counts the records for which a new required field has no value', async () => {
    const { pid } = await changed([name], [{ name: 'a' }, { name: 'b' }], [name, { ...size, required: true }]);

    expect(conflictsOf(await admin.conflicting(pid))).toMatchObject([{ details: { field: 'size', rows: 2 } }]);
  });

  it('is none where the new required field has a default, which the records get', async () => {
    const evil = `'); drop table platform.promotion; --\\' ? $1 \\`;
    const fields: FieldContent[] = [
      name,
      { ...size, required: true, default: 7 },
      { code: 'label', name: 'Label', type: 'string', required: true, default: evil },
      { code: 'extra', name: 'Extra', type: 'json', required: true, default: { a: evil } },
    ];
    const { code, pid } = await changed([name], [{ name: 'a' }, { name: 'b' }], fields);

    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    dataOf(await admin.apply(pid));
    expect(await runSql(`select size, label, extra from staging.mt_${code}`)).toEqual(
      [1, 2].map(() => ({ size: 7, label: evil, extra: { a: evil } })),
    );
    expect(await columnsIn('staging', code)).toMatchObject({ size: 'integer not null', label: 'text not null' });
    expect(
      await runSql(`select 1 from pg_attrdef where adrelid = 'staging.mt_${code}'::regclass and adnum > 9`),
    ).toEqual([]);
  });

  it('counts the live records that share what would be unique, per tenant', async () => {
    const records = [{ name: 'x' }, { name: 'x' }, { name: 'x' }, { name: 'y' }];
    const { code, pid } = await changed([name], records, [{ ...name, unique: true }]);
    await insertInto('staging', await newTenant(), code, [{ name: 'y' }]);

    expect(conflictsOf(await admin.conflicting(pid))).toMatchObject([{ details: { field: 'name', rows: 3 } }]);
    await runSql(
      `update staging.mt_${code} set deleted_at = now() where id in (select id from staging.mt_${code} order by id limit 2)`,
    );
    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
  });

  it('counts the values that do not cast to the new type; when all do, the column follows with its indexes', async () => {
    const text: FieldContent = { code: 'amount', name: 'A', type: 'string', searchable: true, indexed: true };
    const records = [{ amount: '12' }, { amount: '-3' }, { amount: 'twelve' }, { amount: '1.5' }, { amount: null }];
    const number: FieldContent = { code: 'amount', name: 'A', type: 'integer', unique: true };
    // dev has no records: there the change is free.
    const { code, pid } = await changed([name, text], records, [name, number]);

    const [conflict] = (await admin.conflicting(pid)).conflicts;
    expect(conflict).toMatchObject({ type: 'DATA_INCOMPATIBLE', details: { field: 'amount', rows: 2 } });
    expect(conflict.message).toContain('holds 2 values that do not fit');
    await runSql(`update staging.mt_${code} set amount = '7' where amount = 'twelve'`);
    await runSql(`update staging.mt_${code} set amount = null where amount = '1.5'`);

    const promotion = dataOf(await admin.validate(pid));
    expect(promotion).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    expect(promotion.plan.items[0].ddl).toContainEqual(expect.stringContaining('using ("amount"::text)::integer'));
    dataOf(await admin.apply(pid));
    expect(await runSql(`select amount from staging.mt_${code} order by id`)).toEqual(
      [12, -3, 7, null, null].map((amount) => ({ amount })),
    );
    const indexes = await runSql<{ name: string }>(
      `select indexname as name from pg_indexes where schemaname = 'staging' and tablename = 'mt_${code}'`,
    );
    expect(indexes.filter(({ name: index }) => index.endsWith('_key') && index.startsWith('ix_'))).toHaveLength(1);
    expect(indexes.filter(({ name: index }) => /_(keyword|sort)$/.test(index))).toEqual([]);
  });

  const CASTS: [from: FieldContent['type'], to: FieldContent['type'], good: unknown[], bad: unknown[]][] = [
    ['string', 'bigint', ['9223372036854775807'], ['9223372036854775808', '']],
    ['string', 'decimal', ['1.50', '-2'], ['NaN', 'Infinity', '1e400', 'x']],
    ['string', 'boolean', ['true', 'false'], ['1', 'yes']],
    ['string', 'date', ['2026-02-28'], ['2026-02-30', 'today', '2026-01-01T10:00:00Z', 'infinity']],
    ['string', 'datetime', ['2026-02-28T10:00:00Z'], ['now', '2026-02-30T00:00:00Z']],
    ['string', 'json', ['{"a":1}', '5'], ['{a}']],
    ['string', 'relation', ['01ARZ3NDEKTSV4RRFFQ69G5FAV'], ['a'.repeat(33), 'not a pid']],
    ['bigint', 'integer', ['2147483647'], ['2147483648']],
    ['decimal', 'integer', ['5'], ['1.5']],
    ['datetime', 'date', ['2026-02-28T00:00:00Z'], ['2026-02-28T00:00:01Z']],
    ['json', 'string', [{ a: 1 }], []],
    ['boolean', 'date', [], [true]],
  ];
  it('knows what is lost between types: nothing is rounded, cut or guessed', async () => {
    const target = newCode();
    await save('dev', modelDraft(target, { fields: [name] }));
    const typed = (index: number, type: FieldContent['type']): FieldContent => ({
      code: `f${index}`,
      name: 'F',
      type,
      ...(type === 'relation' && { target }),
    });
    const before = CASTS.map(([from], index) => typed(index, from));
    const records = CASTS.flatMap(([, , good, bad], index) =>
      [...good, ...bad].map((value) => ({ [`f${index}`]: value })),
    );
    const after = CASTS.map(([, to], index) => typed(index, to));
    const { pid } = await changed([name, ...before], records, [name, ...after]);

    const promotion = dataOf(await admin.validate(pid, { autoInclude: true }));

    const found = Object.fromEntries(
      promotion.conflicts.map(({ details }: { details: { field: string; rows: number } }) => [
        details.field,
        details.rows,
      ]),
    );
    const expected = CASTS.flatMap(([, , , bad], index) => (bad.length > 0 ? [[`f${index}`, bad.length]] : []));
    expect(found).toEqual(Object.fromEntries(expected));
  });

  it('can only be kept as it is', async () => {
    const { model, pid } = await changed([name], [{ name: 'a' }], [name, { ...size, required: true }]);

    expect(refusal(await admin.validate(pid, choose(model.resourcePid, 'DATA_INCOMPATIBLE', 'use_source')))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { 'resolutions.0.resolution': 'must be one of keep_target' } },
    });
    const kept = choose(model.resourcePid, 'DATA_INCOMPATIBLE', 'keep_target');
    expect(dataOf(await admin.validate(pid, kept))).toMatchObject({ status: 'VALIDATED', plan: { items: [] } });
  });
});

describe('several conflicts', () => {
  it('are reported together, each at its resource, and resolved one by one', async () => {
    const absent = await newUnits([name]);
    const model = await newUnits([name, size]);
    await admin.promote([model.model, model.page]);
    await insertInto('staging', admin.tenant, model.code, [{ name: 'x', size: 1 }, { name: 'x' }]);
    await renamePage(model.code, 'ours');
    await renamePage(model.code, 'theirs', 'staging');
    await changeModel(model, {
      fields: [
        { ...name, unique: true },
        { code: 'more', name: 'M', type: 'text', required: true },
      ],
    });
    const pid = await admin.created([absent.page, model.page, model.model]);

    const promotion = await admin.conflicting(pid);
    expect(conflictsOf(promotion).map(({ type, code }) => `${String(type)} ${String(code)}`)).toEqual([
      `DATA_INCOMPATIBLE ${model.code}`,
      `DATA_INCOMPATIBLE ${model.code}`,
      `DESTRUCTIVE_SCHEMA ${model.code}`,
      `MISSING_DEPENDENCY ${absent.code}`,
      `TARGET_NEWER ${model.code}`,
    ]);
    await admin.conflicting(pid, choose(absent.page.resourcePid, 'MISSING_DEPENDENCY', 'skip'));
    await admin.conflicting(pid, choose(model.model.resourcePid, 'DATA_INCOMPATIBLE', 'keep_target'));
    const done = dataOf(await admin.validate(pid, choose(model.page.resourcePid, 'TARGET_NEWER', 'use_source')));
    expect(done).toMatchObject({ status: 'VALIDATED', plan: { items: [{ pid: model.page.resourcePid }] } });
    expect(done.resolutions).toHaveLength(3);
    dataOf(await admin.apply(pid));
    expect((await contentIn('staging', 'PAGE_SCHEMA', model.code))?.name).toBe('ours');
  });
});

describe('a resolution', () => {
  it.each([
    [{ resolutions: 'all' }, { resolutions: 'must be an array' }],
    [{ autoInclude: 'yes' }, { autoInclude: 'must be true or false' }],
    [
      { resolutions: [{ type: 'NOTHING', resolution: 'use_force' }] },
      {
        'resolutions.0.resourcePid': 'is required',
        'resolutions.0.type': expect.stringContaining('MISSING_DEPENDENCY'),
        'resolutions.0.resolution': 'must be one of use_source, keep_target, skip',
      },
    ],
    [
      { resolutions: [{ resourcePid: 'x', type: 'VERSION_GAP', resolution: 'skip' }] },
      { 'resolutions.0.resolution': 'is not possible here' },
    ],
  ])('%j is a VALIDATION_ERROR at its place', async (body, fieldErrors) => {
    const { model } = await newUnits([name]);

    expect(refusal(await admin.validate(await admin.created([model]), body))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: { fieldErrors },
    });
  });
});
