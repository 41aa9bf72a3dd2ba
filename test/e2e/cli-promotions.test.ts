import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insert, newModel } from '../support/models.ts';
import { auditOf } from '../support/promotions.ts';
import {
  answering,
  APPLY,
  closeServers,
  dataOf,
  ends,
  keelson,
  newChangedModel,
  newPage,
  person,
  promote,
} from '../support/cli.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const NAME = { code: 'name', name: 'Name', type: 'string' } as const;

let tenant: TestTenant;
let approver: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  person.present = await newUser(['PLATFORM_ADMIN'], tenant);
  approver = await newUser(['PLATFORM_ADMIN'], tenant);
});

afterAll(closeServers);

// Locks and imports concern environments as a whole: they are in one file with the promotions.
describe('keelson environments, lock and unlock', () => {
  it('show the environments, lock them and unlock them, with a reason', async () => {
    await ends(0, ['environments'], {
      out: /^CODE +ID +POLICY +LOCK .*\ndev +1 +open .*\nstaging +2 +locked .*\nprod /,
    });
    // prod needs a second person anyway: nobody else's test notices its lock.
    await ends(0, ['lock', 'prod', '--reason', 'a freeze'], { out: /^prod is locked: / });
    const { out } = await keelson(['export', 'prod']);
    const promotion = await dataOf(['import', 'prod', '--reason', 'a test'], 5, { input: out });
    const unlock = ['unlock', 'prod', '--reason', 'it thaws'];
    await ends(5, unlock, { out: 'unlocking waits for a second person: a promotion into it is open' });
    await ends(0, unlock, { as: approver, out: /^prod is unlocked\n$/ });
    await ends(0, ['promotion', 'cancel', promotion.pid], { out: /CANCELLED\n$/ });
  });
});

describe('keelson import', () => {
  const args = ['import', 'prod', '--reason', 'a test'];
  const exported = async (): Promise<string> => (await keelson(['export', 'prod'])).out;

  it('exits with 5 where the import waits for a second person', async () => {
    const promotion = await dataOf(args, 5, { input: await exported() });
    expect(promotion).toMatchObject({ sourceEnvId: null, targetEnvId: 3, status: 'VALIDATED' });
    await ends(0, ['promotion', 'cancel', promotion.pid], { out: /CANCELLED\n$/ });
  });

  it('exits with 0 where it has been applied', async () => {
    // An import overwrites a whole environment, and the other tests live in the real ones.
    const promotion = { pid: 'P', status: 'APPLIED', sourceEnvId: null, conflicts: [], approvals: [], plan: null };
    const url = await answering(200, { code: '0', message: 'ok', data: promotion });
    const file = join(await mkdtemp(join(tmpdir(), 'keelson-')), 'export.json');
    await writeFile(file, await exported());
    await ends(0, ['import', 'staging', file, '--url', url], { out: /^P {2}export -> .* {2}APPLIED\n/ });
  });

  it('exits with 1 and says what is wrong with the export', async () => {
    const input = JSON.stringify({ ...JSON.parse(await exported()), checksum: '0' });
    await ends(1, args, { input, err: /^VALIDATION_ERROR: .*\n {2}checksum: / });
    await ends(1, args, { input: 'nothing', err: 'Standard input is not an export' });
  });
});

describe('keelson promotion create', () => {
  it('makes a promotion of what is named, validates it and shows the plan; with --apply it applies it', async () => {
    const { code } = await newModel({ fields: [NAME] });
    const args = ['promotion', 'create', 'dev', 'staging', '--units', `MODEL/${code}`];
    const { out } = await keelson(args);
    expect(out).toMatch(/^[0-9A-Z]{26} {2}dev -> staging {2}VALIDATED\nPlan, sealed as [0-9a-f]{12}:\n/);
    expect(out).toContain(`  + MODEL/${code}  - -> 1\n      sql: create table "staging"."mt_${code}"`);
    await ends(0, [...args, ...APPLY], { out: / {2}dev -> staging {2}APPLIED\napplied at .*: a test\nDone:\n/ });
  });

  it('exits with 4 and names the conflicts and the ways out', async () => {
    const { code } = await newModel({ fields: [NAME] });
    const { out } = await keelson(['promotion', 'create', 'dev', 'staging', '--units', `PAGE_SCHEMA/${code}`]);
    expect(out).toContain(`  ! MISSING_DEPENDENCY PAGE_SCHEMA/${code} (blocking)\n`);
    expect(out).toContain(`PAGE_SCHEMA/${code} content.modelCode -> MODEL/${code}`);
    expect(out).toContain('include it: --auto-include\n');
    await ends(0, ['promotion', 'create', 'dev', 'staging', '--units', `PAGE_SCHEMA/${code}`, '--auto-include']);
  });

  it('takes decisions about conflicts by --resolve', async () => {
    const page = await newPage();
    await promote('staging', page.name, ...APPLY);
    await page.change('name', 'status');
    const args = ['promotion', 'create', 'staging', 'dev', '--units', page.name];
    await ends(4, args, { out: 'The target has version 2, the source 1' });
    await ends(0, [...args, '--resolve', `TARGET_NEWER:${page.name}=use_source`], { out: 'resolved: use_source\n' });
  });

  it('takes consent to data getting out of reach by --consent', async () => {
    const model = await newChangedModel();
    await insert(tenant, model.code, [{ name: 'a', extra: 'b' }]);
    const resolve = ['--resolve', `TARGET_NEWER:${model.name}=use_source`];
    const args = ['promotion', 'create', 'staging', 'dev', '--units', model.name, ...resolve, ...APPLY];
    await ends(1, args, {
      err: /^CONFLICT: .*\n.*extra has a value in 1 records\n {2}reason: CONSENT_REQUIRED\n {2}promotionPid: \w+\n$/,
    });
    await ends(0, [...args, '--consent', model.name], { out: 'APPLIED' });
  });

  it('exits with 5 where a second person is needed, and leaves the promotion for them', async () => {
    const page = await newPage();
    await ends(5, ['promotion', 'create', 'dev', 'prod', '--units', page.name, '--auto-include', ...APPLY], {
      out: /^([0-9A-Z]{26}) {2}dev -> prod {2}VALIDATED\nNext: keelson promotion approve \1 by another person, then /,
      err: /^FOUR_EYES_REQUIRED: .*\n {2}missingApprovals: 1\n$/,
    });
  });

  it('exits with 1 where what is named does not differ', async () => {
    const { name } = await newPage();
    await promote('staging', name, ...APPLY);
    const err = `${name} is not among the differences between dev and staging\n`;
    await ends(1, ['promotion', 'create', 'dev', 'staging', '--units', name], { err });
  });

  it('promotes every difference with --all, and makes no promotion where there is none', async () => {
    await newPage();
    const { out } = await keelson(['promotion', 'create', 'dev', 'staging', '--all', '--json']);
    expect(JSON.parse(out)).toMatchObject({ units: '*' });
    await ends(0, ['promotion', 'create', 'dev', 'dev', '--all'], { out: /^dev and dev are the same\n$/ });
  });
});

describe('keelson promotion validate', () => {
  it('exits with 4 for conflicts, and with 0 once they are decided', async () => {
    const page = `PAGE_SCHEMA/${(await newModel({ fields: [NAME] })).code}`;
    const { pid } = await dataOf(['promotion', 'create', 'dev', 'staging', '--units', page], 4);
    await ends(4, ['promotion', 'validate', pid], { out: 'DRAFT' });
    await ends(0, ['promotion', 'validate', pid, '--resolve', `MISSING_DEPENDENCY:${page}=skip`], {
      out: 'resolved: skip\n',
    });
  });
});

describe('keelson promotion approve, apply and reject', () => {
  it('take a promotion to prod, by two people', async () => {
    const page = await newPage();
    const pid = await promote('prod', page.name);
    const next = `Next: keelson promotion apply ${pid} --reason ...\n`;
    const approved = new RegExp(`VALIDATED\napproved by ${approver.email} at .*: fine\n${next}$`);
    await ends(0, ['promotion', 'approve', pid, '--comment', 'fine'], { as: approver, out: approved });
    await ends(0, ['promotion', 'show', pid], { out: next });
    const done = / {2}dev -> prod {2}APPLIED\napplied at .*: a test\nDone:\n/;
    await ends(0, ['promotion', 'apply', pid, '--reason', 'a test'], { out: done });
    expect(await page.versionIn('prod')).toBe(1);
  });

  it('exit with 5 where the same person does both', async () => {
    const pid = await promote('prod', (await newPage()).name);
    const out = `Next: keelson promotion approve ${pid} by another person, then keelson promotion apply ${pid}`;
    await ends(5, ['promotion', 'approve', pid], { out, err: 'FOUR_EYES_REQUIRED' });
    await ends(5, ['promotion', 'apply', pid, '--reason', 'a test'], { err: 'FOUR_EYES_REQUIRED' });
  });

  it('exit with 1 where the plan no longer holds', async () => {
    const page = await newPage();
    const pid = await promote('staging', page.name);
    await page.change('name', 'status');
    const out = `Next: keelson promotion validate ${pid}`;
    await ends(1, ['promotion', 'apply', pid, '--reason', 'a test'], { out, err: /^STALE_PLAN: / });
  });

  it('schedule an apply with --at', async () => {
    const pid = await promote('staging', (await newPage()).name);
    const next = `It is applied then by itself; keelson promotion cancel ${pid} prevents it\n`;
    const out = `VALIDATED\nto be applied at 2099-01-01T00:00:00.000Z\n${next}`;
    await ends(0, ['promotion', 'apply', pid, '--reason', 'a test', '--at', '2099-01-01T00:00:00Z'], { out });
    await ends(0, ['promotion', 'cancel', pid]);
  });

  it('watch what was applied with --soak', async () => {
    const pid = await promote('staging', (await newPage()).name);
    const out = /APPLIED\napplied at .*: a test\nsoak of 30 s: WATCHING, until /;
    await ends(0, ['promotion', 'apply', pid, '--reason', 'a test', '--soak', '30', '--max-error-rate', '0.5'], {
      out,
    });
    const { soak } = await dataOf(['promotion', 'show', pid]);
    expect(soak).toMatchObject({ seconds: 30, maxErrorRate: 0.5 });
  });

  it('end a promotion by a reject', async () => {
    const pid = await promote('staging', (await newPage()).name);
    await ends(0, ['promotion', 'reject', pid, '--reason', 'not now'], { as: approver, out: /REJECTED\n$/ });
    await ends(1, ['promotion', 'apply', pid, '--reason', 'a test'], { err: /^PROMOTION_STATE: / });
  });
});

describe('keelson promotion rollback', () => {
  it('makes the inverse of a promotion and goes on with it as promote does', async () => {
    const page = await newPage();
    await promote('staging', page.name, ...APPLY);
    await page.change('name', 'status');
    const pid = await promote('staging', page.name, ...APPLY);
    const plan = new RegExp(`  rollback of ${pid} -> staging  VALIDATED\n.*\n  ~ ${page.name}  2 -> 1\n`);
    await ends(0, ['promotion', 'rollback', pid], { out: plan });
    expect(await page.versionIn('staging')).toBe(2);
    const inverse = await dataOf(['promotion', 'rollback', pid, ...APPLY]);
    expect(inverse).toMatchObject({ status: 'APPLIED' });
    expect(await page.versionIn('staging')).toBe(1);
    const [rollback] = await auditOf(inverse.pid);
    expect(rollback).toMatchObject({ action: 'promotion.rollback', reason: 'a test' });
  });

  it('promotes an earlier version of a resource', async () => {
    const page = await newPage();
    await page.change('name', 'status');
    await promote('staging', page.name, ...APPLY);
    const args = [
      'promotion',
      'rollback',
      '--resource',
      page.name,
      '--in',
      'staging',
      '--from',
      'dev',
      ...APPLY,
      '--to-version',
    ];
    await ends(1, [...args, '7'], { err: '  units.0.version: is not a version that dev has had\n' });
    await ends(0, [...args, '1'], { out: 'APPLIED' });
    expect(await page.versionIn('staging')).toBe(1);
  });

  it('takes the version from the environment itself unless another one is named', async () => {
    const page = await newPage();
    await promote('staging', page.name, ...APPLY);
    await page.change('name', 'status');
    await promote('staging', page.name, ...APPLY);
    const args = ['promotion', 'rollback', '--resource', page.name, '--in', 'staging', '--to-version', '1'];
    await ends(0, [...args, ...APPLY], { out: / {2}staging -> staging {2}APPLIED\n/ });
    expect(await page.versionIn('staging')).toBe(1);
  });
});

describe('keelson rollback', () => {
  it('promotes the earlier version where an environment changes only through promotion', async () => {
    const page = await newPage();
    await promote('staging', page.name, ...APPLY);
    await page.change('name', 'status');
    await promote('staging', page.name, ...APPLY);
    const args = ['rollback', page.name, '--env', 'staging', '--yes'];
    await ends(2, args, { err: 'staging changes only through promotion: --reason is required' });
    await ends(0, [...args, '--reason', 'a test'], { out: / {2}staging -> staging {2}APPLIED\n/ });
    expect(await page.versionIn('staging')).toBe(1);
  });

  it('exits with 5 where a second person is needed, and names what is left', async () => {
    const page = await newPage();
    await page.change('name', 'status');
    for (const version of ['1', '2']) {
      const pid = await promote('prod', `${page.name}@${version}`);
      await keelson(['promotion', 'approve', pid], { as: approver });
      await ends(0, ['promotion', 'apply', pid, '--reason', 'a test']);
    }
    const args = ['rollback', page.name, '--env', 'prod', '--yes', '--reason', 'a test'];
    await ends(5, args, { out: /prod -> prod {2}VALIDATED\nNext: keelson promotion approve/, err: 'FOUR_EYES' });
    expect(await page.versionIn('prod')).toBe(2);
  });

  it('saves it as a new version elsewhere, and again takes that back', async () => {
    const page = await newPage();
    await page.change('name', 'status');
    const shown = new RegExp(`^${page.name} in dev: version 2 -> what it was as version 1 `);
    await ends(0, ['rollback', page.name, '--dry-run'], { out: shown });
    await ends(2, ['rollback', page.name], { out: shown, err: 'There is no terminal to ask at: add --yes' });
    expect(await page.versionIn('dev')).toBe(2);

    await ends(0, ['rollback', page.name, '--yes'], { out: `${page.name} is what it was, as version 3\n` });
    expect(await page.versionIn('dev')).toBe(3);
    await ends(1, ['rollback', `${page.name}@1`, '--yes'], { err: 'It is what it was as version 1' });
    await ends(1, ['rollback', `${page.name}@7`, '--yes'], { err: 'It has had no version 7, but 1, 2, 3' });
    await ends(0, ['rollback', page.name, '--yes'], { out: 'as version 4\n' });
  });

  it('refuses what cannot be saved, and asks for consent to data getting out of reach', async () => {
    const model = await newChangedModel();
    await insert(tenant, model.code, [{ name: 'a', extra: 'b' }]);
    const err = `Data would get out of reach. Consent to it: --allow-destructive ${model.name}`;
    await ends(1, ['rollback', model.name, '--yes'], { err });
    await ends(0, ['rollback', model.name, '--yes', '--allow-destructive', model.name], { out: 'as version 3' });
    const page = await newPage();
    await ends(1, ['rollback', page.name, '--yes'], { err: 'It has had no other content than that of version 1' });
    await ends(1, ['rollback', 'MODEL/none', '--yes'], { err: 'There is no MODEL/none in dev' });
  });
});
