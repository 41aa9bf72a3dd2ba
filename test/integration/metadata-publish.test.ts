import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, list } from '../support/api.ts';
import { until } from '../support/faults.ts';
import {
  changeModel,
  EVERY_TYPE,
  insert,
  modelDraft,
  newCode,
  newModel,
  newRole,
  pageDraft,
  roleDraft,
  save,
  type TestModel,
  name,
} from '../support/models.ts';
import { columnsOf, failureOf, indexesOf, runSql } from '../support/platform.ts';
import { container, newTenant, newUser } from '../support/world.ts';

/** A user who may read and write the model, and a tenant with these records. */
async function withRecords(model: TestModel, ...records: Record<string, unknown>[]) {
  const tenant = await newTenant();
  const { token } = await newUser([await newRole(model.permissions)], tenant);
  const pids = await insert(tenant, model.code, records);
  return { tenant, token, pids };
}

const invalid = (fieldErrors: Record<string, unknown>) => ({ code: 'VALIDATION_ERROR', data: { fieldErrors } });

describe('publishing a model', () => {
  it('creates mt_<modelCode> in the schema of the environment alone', async () => {
    const model = await newModel({ fields: [...EVERY_TYPE.slice(1), { ...name, required: true }] });

    expect(await columnsOf(model.code)).toEqual({
      id: 'bigint not null',
      pid: 'character varying(32) not null',
      tenant_id: 'bigint not null',
      created_at: 'timestamp(3) with time zone not null',
      created_by: 'character varying(32) not null',
      updated_at: 'timestamp(3) with time zone not null',
      updated_by: 'character varying(32) not null',
      version: 'integer not null',
      deleted_at: 'timestamp(3) with time zone',
      name: 'text not null',
      note: 'text',
      state: 'text',
      size: 'integer',
      big: 'bigint',
      price: 'numeric',
      flag: 'boolean',
      day: 'date',
      at: 'timestamp(3) with time zone',
      extra: 'jsonb',
      parent: 'character varying(32)',
      file: 'character varying(32)',
    });
    expect(await runSql('select to_regclass($1) as found', [`staging.mt_${model.code}`])).toEqual([{ found: null }]);
  });

  it('gives id an identity, pid uniqueness, and the indexes that the options ask for', async () => {
    const model = await newModel({
      fields: [
        { ...name, unique: true, indexed: true },
        { code: 'parent', name: 'P', type: 'relation', target: 'lead' },
      ],
    });

    expect(await indexesOf(model.code)).toEqual([
      'btree (tenant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL)',
      'btree (tenant_id, deleted_at DESC, id DESC) WHERE (deleted_at IS NOT NULL)',
      'btree (tenant_id, name DESC NULLS LAST, id DESC) WHERE (deleted_at IS NULL)',
      'btree (tenant_id, name, created_at DESC, id DESC) WHERE (deleted_at IS NULL)',
      'btree (tenant_id, parent, created_at DESC, id DESC) WHERE (deleted_at IS NULL)',
      'unique btree (id)',
      'unique btree (pid)',
      'unique btree (tenant_id, name) WHERE (deleted_at IS NULL)',
    ]);
    const [identity] = await runSql(
      `select attidentity from pg_attribute where attrelid = $1::regclass and attname = 'id'`,
      [`dev.mt_${model.code}`],
    );
    expect(identity).toEqual({ attidentity: 'a' });
  });

  it('serves models whose names read alike side by side', async () => {
    const code = newCode();
    const fields = (field: string) => [{ ...name, code: field, indexed: true, unique: true }];

    await save(
      'dev',
      modelDraft(code, { fields: fields('line_sku') }),
      modelDraft(`${code}_line`, { fields: fields('sku') }),
    );

    expect(await indexesOf(code)).toHaveLength(7);
    expect(await indexesOf(`${code}_line`)).toHaveLength(7);
  });

  it('is refused where its table would take the name of another thing', async () => {
    const { code } = await newModel({ fields: [name] });

    const failure = await failureOf(save('dev', modelDraft(`${code}_pkey`, { fields: [name] })));

    expect(failure).toEqual(
      invalid({ [`MODEL/${code}_pkey code`]: expect.stringContaining('another table or index') }),
    );
  });
});

describe('publishing a changed model', () => {
  it('adds columns and indexes and keeps the records, which are readable and writable at once', async () => {
    const model = await newModel({ fields: [name] });
    const { token, pids } = await withRecords(model, { name: 'old' });

    await changeModel(model, {
      fields: [
        { ...name, indexed: true },
        { code: 'size', name: 'Size', type: 'integer', default: 3 },
        { code: 'kind', name: 'Kind', type: 'enum', values: ["it's?", 'b'], required: true, default: "it's?" },
      ],
    });

    const created = await execute(token, model.command, { payload: { name: 'new', kind: 'b' } });
    expect(created.body).toMatchObject({ code: '0', data: { name: 'new', size: 3, kind: 'b' } });
    const { body } = await list(token, model.code, { sortField: 'id', sortOrder: 'asc' });
    expect(body.data.records).toMatchObject([
      { pid: pids[0], name: 'old', size: null, kind: "it's?", version: 1 },
      { name: 'new' },
    ]);
    expect((await execute(token, model.command, { payload: { name: 'x', kind: null } })).body.data).toEqual({
      fieldErrors: { kind: 'is required' },
    });
    expect(await indexesOf(model.code)).toContainEqual(expect.stringContaining('(tenant_id, name, created_at'));
  });

  it('widens types, also while nodes hold prepared statements of the narrower one', async () => {
    const model = await newModel({
      fields: [name, { code: 'size', name: 'Size', type: 'integer' }, { code: 'big', name: 'Big', type: 'bigint' }],
    });
    const { token, pids } = await withRecords(model, { name: 'a', size: 7, big: '8' });
    const path = `/api/dynamic/${model.code}/${pids[0]}`;
    for (let use = 0; use < 6; use += 1) {
      await call(path, { token });
      await execute(token, model.command, { operationType: 'UPDATE', targetRecordId: pids[0], payload: { name: 'b' } });
    }

    await changeModel(model, {
      fields: [name, { code: 'size', name: 'Size', type: 'bigint' }, { code: 'big', name: 'Big', type: 'string' }],
    });

    for (let use = 0; use < 6; use += 1) {
      const detail = await call(path, { token });
      expect(detail.body).toMatchObject({ code: '0', data: { size: '7', big: '8' } });
      const update = { operationType: 'UPDATE', targetRecordId: pids[0], payload: { big: 'a text', size: '7' } };
      expect((await execute(token, model.command, update)).body).toMatchObject({ code: '0', data: { big: 'a text' } });
      await execute(token, model.command, { ...update, payload: { big: '8' } });
    }
  });

  it('never drops data: a field that leaves is out of reach, and back with its values when it returns', async () => {
    const size: FieldContent = { code: 'size', name: 'Size', type: 'integer', required: true };
    const model = await newModel({ fields: [name, { ...size, indexed: true }] });
    const { token, pids } = await withRecords(model, { name: 'a', size: 7 });

    await changeModel(model, { fields: [name] });

    const record = (await call(`/api/dynamic/${model.code}/${pids[0]}`, { token })).body.data;
    expect(record).not.toHaveProperty('size');
    expect((await list(token, model.code, { sortField: 'size' })).status).toBe(400);
    expect((await execute(token, model.command, { payload: { name: 'b' } })).status).toBe(200);
    expect(await columnsOf(model.code)).toMatchObject({ size: 'integer' });

    await changeModel(model, { fields: [name, { ...size, required: false }] });
    expect((await call(`/api/dynamic/${model.code}/${pids[0]}`, { token })).body.data).toMatchObject({ size: 7 });
  });

  const size: FieldContent = { code: 'size', name: 'Size', type: 'integer' };
  it.each<[string, FieldContent, string, string]>([
    ['a type that could lose values', { ...size, type: 'boolean' }, 'type', 'cannot become boolean'],
    ['a narrower type', { ...size, code: 'big' }, 'type', 'cannot become integer'],
    ['required where records have no value', { ...size, required: true }, 'required', '1 records have no value'],
    ['unique where records share a value', { ...name, unique: true }, 'unique', '2 records share a value'],
    ['a new required field without a default', { ...name, code: 'new', required: true }, 'required', 'needs a default'],
  ])('refuses %s, with an error at the field', async (_what, changed, option, problem) => {
    const big: FieldContent = { code: 'big', name: 'Big', type: 'bigint' };
    const fields = [name, size, big];
    const model = await newModel({ fields });
    const { token } = await withRecords(model, { name: 'same', size: 7, big: '9007199254740993' }, { name: 'same' });
    const before = [await columnsOf(model.code), await indexesOf(model.code)];
    const next = fields.some(({ code }) => code === changed.code)
      ? fields.map((field) => (field.code === changed.code ? changed : field))
      : [...fields, changed];

    const failure = await failureOf(changeModel(model, { fields: [...next, { ...name, code: 'other' }] }));

    const index = next.indexOf(changed);
    const path = `MODEL/${model.code} content.fields.${index}.${option}`;
    expect(failure).toEqual(invalid({ [path]: expect.stringContaining(problem) }));
    expect([await columnsOf(model.code), await indexesOf(model.code)]).toEqual(before);
    expect((await list(token, model.code)).body.data).toMatchObject({
      total: 2,
      records: [{ name: 'same' }, { size: 7 }],
    });
  });

  it('is all or nothing, with everything that is saved together', async () => {
    const model = await newModel({ fields: [name] });
    const { token } = await withRecords(model, { name: 'a' });
    const role = `T_${newCode().toUpperCase()}`;
    const bad = pageDraft(newCode(), 'nothing', [name]);

    const failure = await failureOf(
      save('dev', modelDraft(model.code, { fields: [name, { ...name, code: 'more' }] }), roleDraft(role, []), bad),
    );

    expect(failure).toEqual(
      invalid({
        [`PAGE_SCHEMA/${bad.code} content.modelCode`]: 'nothing is not a model',
        [`PAGE_SCHEMA/${bad.code} content.columns.0`]: 'nothing is not a model',
      }),
    );
    expect(Object.keys(await columnsOf(model.code))).not.toContain('more');
    expect(await runSql('select 1 from platform.dsl_resource where code = $1', [role])).toEqual([]);
    expect((await list(token, model.code)).body.data.records[0]).not.toHaveProperty('more');
  });

  it('waits for a table that is in use, a little at a time', async () => {
    const model = await newModel({ fields: [name] });
    const { token } = await withRecords(model, { name: 'a' });
    const reader = (await container()).orm.em.fork();
    await reader.begin();
    await sqlRunnerOf(reader).query(`select * from dev.mt_${model.code}`);
    const wait = `select waitstart::text as since from pg_locks where relation = 'dev.mt_${model.code}'::regclass and not granted`;
    const since = async () => (await runSql<{ since: string }>(wait))[0]?.since;

    const changing = changeModel(model, { fields: [name, { ...name, code: 'more' }] });
    try {
      const first = await until('the change waits', since);
      await until('it has given way and tries again', async () => ![undefined, first].includes(await since()));
    } finally {
      await reader.rollback();
    }

    expect(await changing).toBe(1);
    expect((await list(token, model.code)).body.data.records[0]).toHaveProperty('more', null);
  });
});

describe('versions', () => {
  const versionsOf = (code: string) =>
    runSql(`select version, content->>'name' as name from platform.dsl_resource_version where code = $1 order by id`, [
      code,
    ]);

  it('grow per resource with each change, and all are kept', async () => {
    const role = `T_${newCode().toUpperCase()}`;
    const draft = (label: string) => roleDraft(role, [], label);

    expect(await save('dev', draft('one'))).toBe(1);
    expect(await save('dev', draft('two'))).toBe(1);
    expect(await save('dev', draft('two'))).toBe(0);

    expect(await versionsOf(role)).toEqual([
      { version: 1, name: 'one' },
      { version: 2, name: 'two' },
    ]);
    expect(await runSql('select version from platform.dsl_resource where code = $1', [role])).toEqual([{ version: 2 }]);
  });

  it('do not grow where only the order of keys differs', async () => {
    const { code } = await newModel({ fields: [name] });
    const content = { fields: [{ type: 'string', name: 'Name', code: 'name' }], name: code };

    expect(await save('dev', { resourceType: 'MODEL', code, content: content })).toBe(0);
  });
});

describe('a saved change', () => {
  it('is served by the running program at once', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    for (let round = 0; round < 5; round += 1) {
      const pageKey = newCode();
      expect((await list(token, pageKey)).status).toBe(404);
      await save('dev', pageDraft(pageKey, 'lead', [name]));
      expect((await list(token, pageKey)).status).toBe(200);
    }
  });

  it('takes a permission away at once, from a session that is open', async () => {
    const role = await newRole(['record:read:lead']);
    const { token } = await newUser([role], await newTenant());
    expect((await list(token, 'leads')).status).toBe(200);

    await save('dev', roleDraft(role, []));

    expect((await list(token, 'leads')).body).toMatchObject({
      code: 'FORBIDDEN',
      data: { permission: 'record:read:lead' },
    });
  });

  it('is served after Redis has lost the version, too', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());
    const { store } = await container();
    const pageKey = newCode();
    await store.pipeline([['del', 'keelson:metadata-version:dev']]);

    await save('dev', pageDraft(pageKey, 'lead', [name]));
    expect((await list(token, pageKey)).status).toBe(200);

    await store.pipeline([['del', 'keelson:metadata-version:dev']]);
    expect((await list(token, pageKey)).status).toBe(200);
  });
});

describe('an invalid resource', () => {
  it('is a VALIDATION_ERROR with a path per problem', async () => {
    const fields = [
      { ...name, required: 'yes' },
      { ...name, default: 5 },
    ] as never;

    expect(await failureOf(save('dev', { resourceType: 'MODEL', code: 'Bad', content: { name: '', fields } }))).toEqual(
      invalid({
        code: expect.stringContaining('must match'),
        'content.name': expect.any(String),
        'content.fields.0.required': 'must be true or false',
      }),
    );
  });

  it('names what it refers to and the environment lacks', async () => {
    const { code } = await newModel({ fields: [name] });
    const step = { id: 's', operation: 'CREATE' as const, modelCode: code, values: { nope: '1', pid: '"x"' } };

    expect(
      await failureOf(
        save(
          'dev',
          modelDraft(`${code}_x`, { fields: [{ ...name, type: 'relation', target: 'nothing' }] }),
          pageDraft(`${code}_p`, code, [name, { code: 'nope' }]),
          {
            resourceType: 'COMMAND',
            code: `t:${code}`,
            content: { name: 'C', modelCode: 'nothing', operations: ['CUSTOM'], steps: [step] },
          },
        ),
      ),
    ).toEqual(
      invalid({
        [`MODEL/${code}_x content.fields.0.target`]: 'nothing is not a model',
        [`PAGE_SCHEMA/${code}_p content.columns.1`]: `is not a field of ${code}`,
        [`COMMAND/t:${code} content.modelCode`]: 'nothing is not a model',
        [`COMMAND/t:${code} content.steps.0.values.nope`]: `is not a field of ${code}`,
        [`COMMAND/t:${code} content.steps.0.values.pid`]: `is not a field of ${code}`,
      }),
    );
  });

  it('is also one whose change would leave another resource without what it refers to', async () => {
    const model = await newModel({ fields: [name, { ...name, code: 'more' }] });

    expect(await failureOf(changeModel(model, { fields: [{ ...name, code: 'more' }] }))).toEqual(
      invalid({ [`PAGE_SCHEMA/${model.code} content.columns.0`]: `is not a field of ${model.code}` }),
    );
  });

  it('is not saved to an environment that does not exist', async () => {
    expect(await failureOf(save('nowhere', roleDraft('X', [])))).toEqual({ code: 'NOT_FOUND', data: null });
  });
});
