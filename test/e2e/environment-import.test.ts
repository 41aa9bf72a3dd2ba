import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/foundation/validation/canonical-json.ts';
import { call, dataOf, refusal } from '../support/api.ts';
import { ulid } from 'ulid';
import { changeModel, modelDraft, newModel, newRole, save, name, size } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import {
  auditOf,
  columnsIn,
  conflictsOf,
  ENVIRONMENT_PIDS,
  insertInto,
  newUnits,
  removeFrom,
  renamePage,
  resourceIn,
  platformAdmin,
} from '../support/promotions.ts';
import { newUser } from '../support/world.ts';
import type { EnvironmentCode } from '../../src/foundation/config/environments.ts';

beforeAll(async () => {
  await startOwnNode('imports');
});
const [admin, second] = [platformAdmin(), platformAdmin()];

interface Snapshot {
  formatVersion: number;
  environment: string;
  resources: { resourceType: string; pid: string; code: string; version: number; content: never }[];
  checksum: string;
}

const exported = async (environment: EnvironmentCode): Promise<Snapshot> =>
  dataOf(await admin.post(`/admin/environments/${environment}/export`));
const imports = (environment: EnvironmentCode, body: unknown, who = admin) =>
  who.post(`/admin/environments/${environment}/import`, body);
/** A snapshot of other resources, sealed as an export seals it. */
const sealed = (snapshot: Snapshot, resources: Snapshot['resources']): Snapshot => {
  const checksum = createHash('sha256').update(canonicalJson(resources)).digest('hex');
  return { ...snapshot, resources, checksum };
};

describe('POST /api/admin/environments/{code}/export', () => {
  it('is canonical: two exports are the same bytes, by code and by pid', async () => {
    await newModel({ fields: [name, size] });
    const bytes = async (environment: string) => {
      const path = `${process.env.KEELSON_TEST_URL}/api/admin/environments/${environment}/export`;
      const headers = { authorization: `Bearer ${admin.user.token}` };
      return (await fetch(path, { method: 'POST', headers })).text();
    };

    const first = await bytes('dev');

    expect(await bytes(ENVIRONMENT_PIDS.dev)).toBe(first);
    const { formatVersion, environment, resources, checksum } = JSON.parse(first).data as Snapshot;
    expect({ formatVersion, environment }).toEqual({ formatVersion: 1, environment: 'dev' });
    expect(createHash('sha256').update(canonicalJson(resources)).digest('hex')).toBe(checksum);
    expect(Object.keys(resources[0] ?? {})).toEqual(['resourceType', 'pid', 'code', 'version', 'content']);
    const order = resources.map(({ resourceType, code }) => `${resourceType}/${code}`);
    expect(order).toEqual([...order].sort());
  });

  it('is in the audit trail with its checksum', async () => {
    const { checksum } = await exported('dev');

    expect((await auditOf(ENVIRONMENT_PIDS.dev)).at(-1)).toMatchObject({
      action: 'environment.export',
      after: { checksum },
    });
  });
});

describe('POST /api/admin/environments/{code}/import', () => {
  it('into an empty environment gives it the same resources: its export has the same checksum', async () => {
    const model = await newUnits([name, size]);
    const snapshot = await exported('dev');

    const answer = await imports('staging', { ...snapshot, reason: 'first fill' });

    expect(answer).toMatchObject({ status: 200, body: { data: { status: 'APPLIED', appliedReason: 'first fill' } } });
    expect(await exported('staging')).toEqual({ ...snapshot, environment: 'staging' });
    expect(await columnsIn('staging', model.code)).toMatchObject({ size: 'integer' });
    expect(dataOf(await imports('staging', { ...snapshot, reason: 'again' })).plan.items).toEqual([]);
  });

  it('overwrites: it adds, updates and removes in one transaction; going back to an export is a rollback', async () => {
    const [added, updated, removed] = [await newUnits([name]), await newUnits([name]), await newUnits([name])];
    await removeFrom('dev', 'PAGE_SCHEMA', added.code);
    await imports('staging', { ...(await exported('dev')), reason: 'base' });
    const base = await exported('staging');
    await renamePage(added.code, 'here now');
    await renamePage(updated.code, 'renamed');
    await removeFrom('dev', 'PAGE_SCHEMA', removed.code);
    const snapshot = await exported('dev');

    const { plan } = dataOf(await imports('staging', { ...snapshot, reason: 'overwrite' }));

    expect(plan.items.map(({ action, code }: Record<string, string>) => `${action} ${code}`).sort()).toEqual([
      `ADD ${added.code}`,
      `REMOVE ${removed.code}`,
      `UPDATE ${updated.code}`,
    ]);
    expect(await exported('staging')).toEqual({ ...snapshot, environment: 'staging' });
    expect(dataOf(await imports('staging', { ...base, reason: 'back' })).status).toBe('APPLIED');
    expect(await exported('staging')).toEqual(base);
    expect(await resourceIn('staging', 'PAGE_SCHEMA', updated.code)).toMatchObject({ version: 1 });
  });

  it('replaces a resource of the same code under another pid', async () => {
    const model = await newUnits([name]);
    await save('prod', modelDraft(model.code, { fields: [name] }));
    await insertInto('prod', admin.tenant, model.code, [{ name: 'kept' }]);

    const waiting = dataOf(await imports('prod', { ...(await exported('dev')), reason: 'adopt' }));
    expect(waiting.conflicts).toEqual([]);
    dataOf(await second.apply(waiting.pid));

    expect(await resourceIn('prod', 'MODEL', model.code)).toMatchObject({ pid: model.model.resourcePid });
    expect(await runSql(`select name from prod.mt_${model.code}`)).toEqual([{ name: 'kept' }]);
  });

  it('refuses a snapshot in which a byte changed, another format, and a resource that is wrong', async () => {
    const snapshot = await exported('dev');
    const [first, ...others] = snapshot.resources;
    if (!first) throw new Error('dev is empty');
    const tampered = { ...snapshot, resources: [{ ...first, version: first.version + 1 }, ...others] };
    const wrong = sealed(snapshot, [{ ...first, content: { name: '' } as never }, ...others]);

    const problemsOf = async (body: unknown) =>
      (refusal(await imports('dev', body)) as { data: { fieldErrors: object } }).data.fieldErrors;
    expect(await problemsOf(tampered)).toEqual({ checksum: 'does not fit the resources' });
    expect(await problemsOf({ ...snapshot, formatVersion: 2 })).toEqual({ formatVersion: 'must be 1' });
    expect(Object.keys(await problemsOf(wrong))).toContainEqual(expect.stringMatching(/^resources\.0\.content/));
    expect(Object.keys(await problemsOf({}))).toEqual(['formatVersion', 'environment', 'checksum', 'resources']);
    expect(await problemsOf({ ...snapshot, consent: 'all' })).toEqual({ consent: expect.any(String) });
  });

  it('needs a reason, but for an environment that is open and unlocked', async () => {
    const snapshot = await exported('dev');

    for (const environment of ['staging', 'prod'] as const) {
      expect(refusal(await imports(environment, snapshot))).toMatchObject({
        status: 400,
        data: { fieldErrors: { reason: 'is required' } },
      });
    }
    expect(dataOf(await imports('dev', snapshot))).toMatchObject({ status: 'APPLIED' });
    await admin.post('/admin/environments/dev/lock', { reason: 'x' });
    expect(refusal(await imports('dev', snapshot)).data).toEqual({ fieldErrors: { reason: 'is required' } });
    await admin.post('/admin/environments/dev/unlock', { reason: 'x' });
  });

  it('waits for a second person in prod, or where the target is locked: 202 VALIDATED', async () => {
    await newUnits([name]);
    const snapshot = await exported('dev');
    await admin.post('/admin/environments/staging/lock', { reason: 'release' });

    for (const environment of ['prod', 'staging'] as const) {
      const before = await exported(environment);
      const answer = await imports(environment, { ...snapshot, reason: 'release 8' });
      expect(answer).toMatchObject({ status: 202, body: { code: '0', data: { status: 'VALIDATED' } } });
      const { pid } = answer.body.data;
      expect(refusal(await admin.apply(pid))).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
      expect(await exported(environment)).toEqual(before);
      expect((await auditOf(pid))[0]).toMatchObject({ action: 'environment.import', reason: 'release 8' });
      expect(dataOf(await second.apply(pid))).toMatchObject({ status: 'APPLIED' });
      expect((await exported(environment)).checksum).toBe(snapshot.checksum);
    }
    await admin.post('/admin/environments/staging/unlock', { reason: 'over' });
  });

  it('refuses to put data out of reach without consent per resource, and keeps the consent while it waits', async () => {
    const model = await newUnits([name, size]);
    const snapshot = await exported('dev');
    await imports('staging', { ...snapshot, reason: 'base' });
    dataOf(await second.apply(dataOf(await imports('prod', { ...snapshot, reason: 'base' })).pid));
    for (const environment of ['staging', 'prod'] as const) {
      await insertInto(environment, admin.tenant, model.code, [{ name: 'a', size: 1 }, { name: 'b' }]);
    }
    await changeModel(model, { fields: [name] });
    const smaller = { ...(await exported('dev')), reason: 'smaller' };
    const consent = [model.model.resourcePid];

    expect(refusal(await imports('staging', smaller))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'CONSENT_REQUIRED', resources: [{ resourcePid: model.model.resourcePid }] },
    });
    expect(await resourceIn('staging', 'MODEL', model.code)).toMatchObject({ version: 1 });
    expect(dataOf(await imports('staging', { ...smaller, consent }))).toMatchObject({ status: 'APPLIED' });
    expect(await columnsIn('staging', model.code)).toMatchObject({ size: 'integer' });

    const waiting = dataOf(await imports('prod', { ...smaller, consent }));
    expect(dataOf(await second.apply(waiting.pid))).toMatchObject({ status: 'APPLIED' });
  });

  it('of another installation asks for no consent about roles that stay under their codes', async () => {
    const role = await newRole(['record:read:lead']);
    const base = await exported('dev');
    await imports('staging', { ...base, reason: 'base' });
    await newUser([role], admin.tenant);
    // There, the same roles have other pids.
    const resources = base.resources.map((one) =>
      one.resourceType === 'PERMISSION' ? { ...one, pid: ulid(), version: 1 } : one,
    );
    const imported = dataOf(await imports('staging', { ...sealed(base, resources), reason: 'as there' }));

    expect(imported).toMatchObject({ status: 'APPLIED' });
    expect(imported.conflicts.filter(({ severity }: { severity: string }) => severity === 'consent')).toEqual([]);
    const { pid } = resources.find(({ code }) => code === role) ?? {};
    expect(await resourceIn('staging', 'PERMISSION', role)).toMatchObject({ pid });

    const without = resources.filter(({ code }) => code !== role);
    expect(refusal(await imports('staging', { ...sealed(base, without), reason: 'without it' }))).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'CONSENT_REQUIRED', resources: [{ resourcePid: pid }] },
    });
  });

  it('answers every conflict at once where the target cannot follow', async () => {
    const model = await newUnits([name]);
    await imports('staging', { ...(await exported('dev')), reason: 'base' });
    await insertInto('staging', admin.tenant, model.code, [{ name: 'a' }]);
    const snapshot = await exported('dev');
    const fields = [name, { ...size, required: true }];
    const resources = snapshot.resources
      .filter(({ pid }) => pid !== model.units[2]?.resourcePid)
      .map((entry) =>
        entry.pid === model.model.resourcePid
          ? { ...entry, version: 2, content: { name: 'M', fields } as never }
          : entry,
      );

    const answer = await imports('staging', { ...sealed(snapshot, resources), reason: 'too much' });

    expect(refusal(answer)).toMatchObject({ status: 409, code: 'PROMOTION_CONFLICT' });
    expect(conflictsOf(answer.body.data)).toMatchObject([{ type: 'DATA_INCOMPATIBLE', code: model.code }]);
    expect(dataOf(await admin.promotion(answer.body.data.promotionPid))).toMatchObject({ status: 'DRAFT' });
    expect(await resourceIn('staging', 'COMMAND', model.command)).not.toBeNull();
  });

  it('takes 32 MiB and no more, and only from an admin', async () => {
    const snapshot = await exported('dev');
    const large = (bytes: number) => JSON.stringify({ ...snapshot, resources: 'x'.repeat(bytes) });

    expect((await imports('dev', large(31 * 1024 * 1024))).status).toBe(400);
    expect(refusal(await imports('dev', large(33 * 1024 * 1024)))).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    const path = '/api/admin/environments/dev/import';
    const refused = await call(path, { body: large(2 * 1024 * 1024) }).catch(() => ({ status: 401 }));
    expect(refused.status).toBe(401);
  });

  it('answers 404 for an environment that is not there', async () => {
    expect(refusal(await imports('test' as never, await exported('dev')))).toMatchObject({ status: 404 });
  });
});
