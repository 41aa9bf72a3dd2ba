import { applyPatch } from 'rfc6902';
import { call, execute, list, dataOf, refusal } from '../support/api.ts';
import { changeModel, newCode, newModel, newRole, name, size } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import {
  actionsOn,
  auditOf,
  columnsIn,
  contentIn,
  ENVIRONMENT_PIDS,
  newAdmin,
  newUnits,
  removeFrom,
  renamePage,
  platformAdmin,
} from '../support/promotions.ts';
import { newTenant, newUser } from '../support/world.ts';
import { ENVIRONMENTS } from '../../src/foundation/config/environments.ts';

beforeAll(async () => {
  await startOwnNode('environments');
});
const [admin, second] = [platformAdmin(), platformAdmin()];

const lock = (environment: string, reason: unknown = 'release') =>
  admin.post(`/admin/environments/${environment}/lock`, { reason });
const unlock = (environment: string, reason: unknown = 'done') =>
  admin.post(`/admin/environments/${environment}/unlock`, { reason });
/** With a second person, where an open promotion makes that necessary. */
async function unlockByTwo(environment: string): Promise<void> {
  const { status } = await unlock(environment);
  if (status === 202) dataOf(await second.post(`/admin/environments/${environment}/unlock`, { reason: 'agreed' }));
}
afterEach(async () => {
  for (const environment of ENVIRONMENTS) await unlockByTwo(environment);
});

const role = (code = `T_${newCode().toUpperCase()}`) => ({
  resourceType: 'PERMISSION',
  code,
  content: { name: code, codes: [] },
});

describe('GET /api/admin/environments', () => {
  it('lists dev, staging and prod with ids, policies, locks, counts and metadata versions', async () => {
    const { code } = await newModel({ fields: [name] });
    await lock('prod', 'audit week');

    const [dev, staging, prod, ...rest] = dataOf(await admin.get('/admin/environments'));

    expect(rest).toEqual([]);
    const unlocked = { locked: false, lockReason: null, lockedBy: null, lockedByName: null, lockedAt: null };
    const approvalPolicy = { minApprovals: 1, expiresHours: 168, selfApprove: false, unlockApproval: false };
    expect(dev).toEqual({
      pid: ENVIRONMENT_PIDS.dev,
      id: 1,
      code: 'dev',
      name: 'Development',
      writePolicy: 'open',
      ...unlocked,
      metadataVersion: expect.any(Number),
      approvalPolicy,
      pendingPolicy: null,
      pendingUnlock: null,
      resourceCounts: expect.objectContaining({ MODEL: expect.any(Number), PAGE_SCHEMA: expect.any(Number) }),
    });
    expect(staging).toMatchObject({ id: 2, code: 'staging', writePolicy: 'locked', ...unlocked, resourceCounts: {} });
    expect(prod).toMatchObject({
      id: 3,
      code: 'prod',
      writePolicy: 'locked_with_approval',
      locked: true,
      lockReason: 'audit week',
      lockedBy: admin.user.pid,
      lockedByName: admin.user.email,
      lockedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await renamePage(code, 'more');
    const [after] = dataOf(await admin.get('/admin/environments'));
    expect(after.metadataVersion).toBe(dev.metadataVersion + 1);
  });
});

describe('POST /api/admin/environments/{pid}/lock and /unlock', () => {
  it('take the pid or the code, and answer the environment', async () => {
    expect(dataOf(await lock(ENVIRONMENT_PIDS.staging, 'by pid'))).toMatchObject({
      code: 'staging',
      locked: true,
      lockReason: 'by pid',
      lockedBy: admin.user.pid,
    });
    expect(dataOf(await unlock('staging'))).toMatchObject({ code: 'staging', locked: false, lockReason: null });
    expect(dataOf(await lock('staging', 'by code'))).toMatchObject({ locked: true, lockReason: 'by code' });
    expect(dataOf(await unlock(ENVIRONMENT_PIDS.staging))).toMatchObject({ locked: false, lockedAt: null });
  });

  it.each(['lock', 'unlock'])('%s needs a reason', async (action) => {
    for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: 5 }, { reason: 'a\0b' }, { reason: '\ud800' }]) {
      expect(refusal(await admin.post(`/admin/environments/staging/${action}`, body))).toEqual({
        status: 400,
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { reason: expect.any(String) } },
      });
    }
  });

  it('are idempotent, and in the audit trail with reason, before and after, once per change', async () => {
    const before = (await actionsOn(ENVIRONMENT_PIDS.staging)).length;
    await lock('staging', 'first');
    expect(dataOf(await lock('staging', 'second'))).toMatchObject({ lockReason: 'first' });
    await unlock('staging', 'over');
    await unlock('staging', 'over again');

    const entries = (await auditOf(ENVIRONMENT_PIDS.staging)).slice(before);
    expect(entries).toMatchObject([
      {
        action: 'environment.lock',
        actor: { userPid: admin.user.pid, username: admin.user.email },
        reason: 'first',
        environment: 'staging',
        after: { locked: true, lockReason: 'first' },
      },
      { action: 'environment.unlock', reason: 'over', after: { locked: false, lockReason: null } },
    ]);
    expect(dataOf(await admin.get('/admin/audit/verify'))).toMatchObject({ ok: true });
  });

  it('of two at once happen once', async () => {
    const before = (await actionsOn(ENVIRONMENT_PIDS.prod)).length;
    const answers = await Promise.all([1, 2, 3, 4].map((n) => lock('prod', `reason ${n}`)));

    expect(new Set(answers.map((one) => dataOf(one).lockReason)).size).toBe(1);
    expect((await actionsOn(ENVIRONMENT_PIDS.prod)).slice(before)).toEqual(['environment.lock']);
  });

  it('answer 404 for an environment that is not there', async () => {
    expect(refusal(await lock('nowhere'))).toEqual({ status: 404, code: 'NOT_FOUND', data: null });
  });
});

describe('a designer write', () => {
  const save = (environment: string, payload: unknown) =>
    execute(admin.user.token, 'meta:save', { payload }, { headers: { 'X-Environment': environment } });
  const remove = (environment: string, payload: unknown) =>
    execute(admin.user.token, 'meta:delete', { payload }, { headers: { 'X-Environment': environment } });

  it('is 409 ENVIRONMENT_LOCKED in a locked environment, with who, why and when, until it is unlocked', async () => {
    const draft = role();
    const { code, resourceType } = draft;
    await lock('dev', 'freeze');

    for (const answer of [await save('dev', draft), await remove('dev', { resourceType, code })]) {
      expect(refusal(answer)).toEqual({
        status: 409,
        code: 'ENVIRONMENT_LOCKED',
        data: { reason: 'LOCKED', lockReason: 'freeze', lockedBy: admin.user.pid, lockedAt: expect.any(String) },
      });
    }
    expect(await contentIn('dev', 'PERMISSION', code)).toBeUndefined();
    await unlock('dev');
    expect(await save('dev', draft)).toMatchObject({ status: 200, body: { data: { code, version: 1 } } });
  });

  it.each([
    ['staging', 'locked'],
    ['prod', 'locked_with_approval'],
  ] as const)(
    'is 409 ENVIRONMENT_LOCKED in %s, which changes only through promotion',
    async (environment, writePolicy) => {
      const draft = role();

      for (const answer of [await save(environment, draft), await remove(environment, role(draft.code))]) {
        expect([400, 409]).toContain(answer.status);
      }
      expect(refusal(await save(environment, draft))).toEqual({
        status: 409,
        code: 'ENVIRONMENT_LOCKED',
        data: { reason: 'POLICY', writePolicy },
      });
      expect(await contentIn(environment, 'PERMISSION', draft.code)).toBeUndefined();
    },
  );
});

describe('a data command', () => {
  it('goes on in a locked environment: a lock is about configuration', async () => {
    const model = await newModel({ fields: [name] });
    const { token } = await newUser([await newRole(model.permissions)], await newTenant());
    await lock('dev');

    expect(await execute(token, model.command, { payload: { name: 'x' } })).toMatchObject({ status: 200 });
    expect((await list(token, model.code)).body.data.total).toBe(1);
  });
});

describe('a promotion to an environment that somebody has locked', () => {
  it('needs a second person, from the lock on and until the unlock', async () => {
    const { units } = await newUnits([name]);
    const pid = await admin.validated(units);
    await lock('staging');

    expect(refusal(await admin.apply(pid))).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
    expect(refusal(await admin.act(pid, 'approve'))).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
    dataOf(await second.act(pid, 'approve'));
    expect(dataOf(await admin.apply(pid))).toMatchObject({ status: 'APPLIED' });

    const other = await admin.validated((await newUnits([name])).units);
    expect(refusal(await admin.apply(other))).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });
    await unlockByTwo('staging');
    expect(dataOf(await admin.apply(other))).toMatchObject({ status: 'APPLIED' });
  });

  it('follows the approval policy of the environment', async () => {
    await lock('staging');
    const pid = await admin.validated((await newUnits([name])).units);
    await runSql(`update platform.environment set min_approvals = 2 where code = 'staging'`);
    try {
      await second.act(pid, 'approve');
      expect(refusal(await admin.apply(pid))).toMatchObject({ data: { missingApprovals: 1 } });
      dataOf(await (await newAdmin()).apply(pid));
    } finally {
      await runSql(`update platform.environment set min_approvals = 1 where code = 'staging'`);
    }
  });
});

describe('GET /api/admin/environments/diff', () => {
  it('has what was added, updated and removed, with versions, a patch that really transforms, and the DDL', async () => {
    const [added, updated, removed] = [await newUnits([name]), await newUnits([name]), await newUnits([name])];
    await admin.promote([...updated.units, ...removed.units]);
    await changeModel(updated, { fields: [name, { ...size, indexed: true }] });
    await renamePage(updated.code, 'both', 'dev', ['size', 'name']);
    await removeFrom('dev', 'PAGE_SCHEMA', removed.code);

    const diff = dataOf(await admin.get('/admin/environments/diff?source=dev&target=staging'));

    expect(diff).toMatchObject({ source: 'dev', target: 'staging' });
    const of = (kind: string, pid: string) => diff[kind].find((one: { pid: string }) => one.pid === pid);
    const model = of('added', added.model.resourcePid);
    expect(model).toMatchObject({ resourceType: 'MODEL', code: added.code, sourceVersion: 1, targetVersion: null });
    expect(model.ddl[0]).toContain(`create table "staging"."mt_${added.code}"`);
    expect(of('removed', removed.page.resourcePid)).toMatchObject({ sourceVersion: null, targetVersion: 1, ddl: [] });
    const changed = of('updated', updated.model.resourcePid);
    expect(changed).toMatchObject({ sourceVersion: 2, targetVersion: 1 });
    expect(changed.ddl).toEqual([
      `alter table "staging"."mt_${updated.code}" add column "size" integer`,
      expect.stringMatching(/^create index .*"size"/),
      expect.stringMatching(/^create index .*"size" desc nulls last/),
    ]);
    for (const { pid, patch, resourceType, code } of [changed, of('updated', updated.page.resourcePid)]) {
      const content = await contentIn('staging', resourceType, code);
      expect(applyPatch(content, patch).filter(Boolean)).toEqual([]);
      expect(content).toEqual(await contentIn('dev', resourceType, code));
      expect(pid).toBeDefined();
    }
    expect(await columnsIn('staging', added.code)).toEqual({});
  });

  it('of "*" is empty once everything is promoted', async () => {
    const pid = dataOf(await admin.create('*')).pid;
    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED' });
    dataOf(await admin.apply(pid));

    const diff = dataOf(await admin.get('/admin/environments/diff?source=dev&target=staging'));
    expect(diff).toEqual({ source: 'dev', target: 'staging', added: [], updated: [], removed: [] });
  });

  it.each([
    ['', { source: expect.any(String), target: expect.any(String) }],
    ['?source=dev', { target: expect.any(String) }],
    ['?source=dev&target=staging&target=prod', { target: expect.any(String) }],
  ])('refuses %j', async (query, fieldErrors) => {
    expect(refusal(await admin.get(`/admin/environments/diff${query}`))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: { fieldErrors },
    });
  });

  it('answers 404 for an environment that is not there', async () => {
    expect(refusal(await admin.get('/admin/environments/diff?source=dev&target=test'))).toMatchObject({ status: 404 });
  });
});

describe('the admin endpoints', () => {
  const ROUTES: [method: string, path: string, permission: string][] = [
    ['GET', '/admin/environments', 'admin:environments'],
    ['GET', '/admin/environments/diff', 'admin:environments'],
    ...['export', 'import', 'lock', 'unlock'].map((action): [string, string, string] => [
      'POST',
      `/admin/environments/dev/${action}`,
      'admin:environments',
    ]),
    ['GET', '/admin/promotions', 'admin:promotions'],
    ['POST', '/admin/promotions', 'admin:promotions'],
    ['GET', '/admin/promotions/x', 'admin:promotions'],
    ...['validate', 'approve', 'reject', 'cancel', 'apply', 'rollback'].map((action): [string, string, string] => [
      'POST',
      `/admin/promotions/x/${action}`,
      'admin:promotions',
    ]),
    ['GET', '/admin/audit', 'admin:environments'],
    ['GET', '/admin/audit/verify', 'admin:environments'],
    ['GET', '/meta/resources', 'admin:metadata'],
    ['GET', '/meta/resources/x', 'admin:metadata'],
    ['GET', '/meta/resources/x/versions', 'admin:metadata'],
  ];

  it.each(ROUTES)(
    '%s %s is 401 without a token and 403 for the ADMIN of a tenant: %s',
    async (method, path, permission) => {
      const body = method === 'POST' ? { body: {} } : {};
      expect(refusal(await call(`/api${path}`, { method, ...body }))).toEqual({
        status: 401,
        code: 'UNAUTHORIZED',
        data: null,
      });
      const { token } = await newUser(['ADMIN'], admin.tenant);
      expect(refusal(await call(`/api${path}`, { method, token, ...body }))).toEqual({
        status: 403,
        code: 'FORBIDDEN',
        data: { permission },
      });
    },
  );

  it('answer 405 to a method that they do not have', async () => {
    for (const [method, path] of ROUTES.filter(([, path]) => path !== '/admin/promotions')) {
      const wrong = method === 'GET' ? 'DELETE' : 'PUT';
      expect((await call(`/api${path}`, { method: wrong, token: admin.user.token })).status).toBe(405);
    }
  });
});
