import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, pageDraft, save } from '../support/models.ts';
import { freePort } from '../support/program.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

const ENTRY = fileURLToPath(new URL('../../cli/keelson.mjs', import.meta.url));
const NAME = { code: 'name', name: 'Name', type: 'string' } as const;
const EXTRA = { code: 'extra', name: 'Extra', type: 'string' } as const;
const APPLY = ['--apply', '--reason', 'a test'];

let tenant: TestTenant;
let admin: TestUser;
let approver: TestUser;
const servers: Server[] = [];

beforeAll(async () => {
  tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN'], tenant);
  approver = await newUser(['PLATFORM_ADMIN'], tenant);
});
afterAll(() => servers.forEach((server) => server.close()));

type RunOptions = { as?: TestUser | null; env?: Record<string, string>; input?: string };
type Ended = { code: number | null; out: string; err: string };

/** Runs the command line in a process of its own, as admin unless somebody else (or nobody) is named. */
function keelson(args: readonly string[], { as = admin, env = {}, input = '' }: RunOptions = {}) {
  const person: Record<string, string> = as ? { KEELSON_TOKEN: as.token } : {};
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: { PATH: process.env.PATH, KEELSON_URL: process.env.KEELSON_TEST_URL, ...person, ...env },
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  child.stdin.end(input);
  return new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
}

type Said = RunOptions & { out?: string | RegExp; err?: string | RegExp };

/** Expects an exit code, and of standard output and standard error that they match or hold something. */
async function ends(expected: number, args: readonly string[], { out = '', err = '', ...options }: Said = {}) {
  const said = (text: string | RegExp): unknown =>
    typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
  expect(await keelson(args, options)).toEqual({ code: expected, out: said(out), err: said(err) });
}

/**
 * Runs it with --json and expects success, or the exit code that is named. Gives the data, to be looked into.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function dataOf(args: readonly string[], expected = 0, options: RunOptions = {}): Promise<any> {
  const { code, out, err } = await keelson([...args, '--json'], options);
  expect({ code, err }).toEqual({ code: expected, err: '' });
  return JSON.parse(out);
}

/** A page of the test's own in dev. */
async function newPage() {
  const code = newCode();
  const change = (...columns: string[]): Promise<number> =>
    save(
      'dev',
      pageDraft(
        code,
        'lead',
        columns.map((column) => ({ code: column })),
      ),
    );
  await change('name');
  const versionIn = async (environment: string): Promise<number | null> => {
    const headers = { 'x-environment': environment };
    const path = `/api/meta/resources?resourceType=PAGE_SCHEMA&code=${code}`;
    return (await call(path, { token: admin.token, headers })).body.data.records[0]?.version ?? null;
  };
  return { name: `PAGE_SCHEMA/${code}`, change, versionIn };
}

/** A model of the test's own, in staging with its name alone and in dev with a field more. */
async function newChangedModel() {
  const model = await newModel({ fields: [NAME] });
  const name = `MODEL/${model.code}`;
  await promote('staging', name, ...APPLY);
  await changeModel(model, { fields: [NAME, EXTRA] });
  return { name, code: model.code };
}

/** Promotes from dev, with what is needed; gives the promotion's pid. */
async function promote(target: string, name: string, ...more: string[]): Promise<string> {
  return (await dataOf(['promote', 'dev', target, '--units', name, '--auto-include', ...more])).pid;
}

/** Something that answers every request with one envelope: what the shared program cannot be asked to say. */
async function answering(status: number, envelope: unknown): Promise<string> {
  const port = await freePort();
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(JSON.stringify(envelope)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${port}`;
}

describe('keelson', () => {
  it('explains its commands and its exit codes', async () => {
    const { out } = await keelson(['--help'], { as: null });
    for (const command of ['export', 'import', 'diff', 'promote', 'validate', 'approve', 'reject', 'apply']) {
      expect(out).toContain(`\n  ${command} <`);
    }
    expect(out).toMatch(/ 0 {2}done\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}4 .*\n {2}5 .*\n {2}6 .*\n/);
    await ends(0, ['reject', '--help'], { out: /^Usage: keelson reject <promotion>[^]*--reason .*\(required\)/ });
  });

  it.each([
    [['fly'], 'There is no command fly'],
    [['diff', 'dev'], '<target> is missing'],
    [['diff', 'dev', 'staging', 'prod'], 'Unexpected argument prod'],
    [['diff', 'dev', 'staging', '--fast'], "'--fast'"],
    [['lock', 'prod'], '--reason is required'],
    [['apply', 'P'], '--reason is required'],
    [['reject', 'P'], '--reason is required'],
    [['promote', 'dev', 'staging'], 'Set either --units or --all'],
    [['promote', 'dev', 'staging', '--all', '--units', 'MODEL/lead'], 'Set either --units or --all'],
    [['promote', 'dev', 'staging', '--units', 'PAGE_SCHEMA'], 'A resource is written TYPE/code'],
    [['rollback'], 'Name a promotion'],
    [['rollback', 'P', '--apply'], '--apply needs --reason'],
    [['rollback', 'P', '--reason', 'a test'], '--reason goes with --apply'],
    [['promote', 'dev', 'staging', '--all', '--soak', '60'], '--soak goes with --apply'],
    [['apply', 'P', '--reason', 'a test', '--max-error-rate', '0.1'], 'goes with --soak'],
    [['policy', 'prod', '--reason', 'a test'], 'Set at least one of --min-approvals'],
    [['policy', 'prod', '--reason', 'a test', '--self-approve', 'yes'], 'true or false'],
    [['set-secret', 'dev', 'TOKEN'], 'no value on standard input'],
    [['rollback', '--resource', 'PAGE_SCHEMA/leads', '--in', 'staging'], 'Name a promotion'],
  ])('exits with 2 for invalid arguments: %j', (args, err) => ends(2, args, { out: /^$/, err }));

  it('exits with 2 where nobody says who they are', () =>
    ends(2, ['environments'], { as: null, err: 'KEELSON_TOKEN' }));

  it('logs in with KEELSON_EMAIL and KEELSON_PASSWORD', async () => {
    const env = { KEELSON_EMAIL: admin.email, KEELSON_PASSWORD: PASSWORD };
    const { out } = await keelson(['login'], { as: null, env });
    expect((await call('/api/admin/environments', { token: out.trim() })).status).toBe(200);
  });

  it('exits with 1 and says code and message where the service refuses', () =>
    ends(1, ['environments', '--token', 'x.y.z'], { out: /^$/, err: /^UNAUTHORIZED: ./ }));

  it('names the fields that are wrong', () =>
    ends(1, ['audit', '--since', 'noon'], {
      err: /^VALIDATION_ERROR: .*\n {2}since: must be a date or an ISO 8601 time with a zone, .*\n$/,
    }));

  it('gives the error as the envelope with --json', () =>
    ends(1, ['diff', 'dev', 'mars', '--json'], { err: /^{"code":"NOT_FOUND","message":".*","data":null}\n$/ }));

  it('exits with 6 where nobody answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await ends(6, ['environments', '--url', url], { err: `${url} cannot be reached: ECONNREFUSED` });
  });

  it.each([
    [503, { code: 'SERVICE_UNAVAILABLE', message: 'no temporal', data: null }, 'SERVICE_UNAVAILABLE: no temporal\n'],
    [502, 'a proxy', 'answers 502, and is not Keelson'],
  ])('exits with 6 where the service is unavailable: %i', async (status, answer, err) => {
    await ends(6, ['environments', '--url', await answering(status, answer)], { err });
  });
});

describe('keelson environments, lock and unlock', () => {
  it('show the environments, lock them and unlock them, with a reason', async () => {
    await ends(0, ['environments'], {
      out: /^CODE +ID +POLICY +LOCK .*\ndev +1 +open .*\nstaging +2 +locked .*\nprod /,
    });
    // prod needs a second person anyway: nobody else's test notices its lock.
    await ends(0, ['lock', 'prod', '--reason', 'a freeze'], { out: /^prod is locked: / });
    await ends(0, ['unlock', 'prod', '--reason', 'it thaws'], { out: /^prod is unlocked\n$/ });
  });
});

describe('keelson policy', () => {
  it('changes who must agree, and exits with 5 where that takes a second person', async () => {
    // Nobody else's test notices: promotions into dev do not expire here, and what is pending in prod counts
    // for nobody.
    await ends(0, ['policy', 'dev', '--expires-hours', '167', '--reason', 'a test'], {
      out: /^dev: 1 approvals, 167 hours, the creator does not count\n$/,
    });
    await ends(0, ['policy', 'dev', '--expires-hours', '168', '--reason', 'a test'], { out: '168 hours' });
    await ends(5, ['policy', 'prod', '--self-approve', 'true', '--reason', 'a test'], {
      out: /^prod: .* the creator does not count\nwaits for a second person: .* the creator counts\n$/,
    });
    await ends(0, ['policy', 'prod', '--self-approve', 'false', '--reason', 'a test'], { out: /^prod: .*\n$/ });
  });

  it('exits with 1 and names the field where the value is wrong', () =>
    ends(1, ['policy', 'dev', '--min-approvals', 'many', '--reason', 'a test'], { err: 'minApprovals: ' }));
});

describe('keelson secrets, set-secret and remove-secret', () => {
  it('set a secret from standard input, list it without its value, and remove it', async () => {
    const name = `CLI_${newCode().toUpperCase()}`;
    const input = 'the value\n';
    await ends(0, ['set-secret', 'staging', name], { input, out: `${name} is set in staging` });
    const { out } = await keelson(['secrets', 'staging']);
    expect(out).toMatch(new RegExp(`^${name} +\\S+ +${admin.pid}$`, 'm'));
    expect(out).not.toContain('the value');
    await ends(0, ['remove-secret', 'staging', name], { out: `${name} is removed from staging` });
    await ends(1, ['remove-secret', 'staging', name], { err: 'NOT_FOUND' });
  });
});

describe('keelson export', () => {
  it('writes the export byte for byte, to standard output or a file', async () => {
    const { out } = await keelson(['export', 'prod']);
    expect(out).toMatch(/^{"formatVersion":1,"environment":"prod","resources":\[.*\],"checksum":"[0-9a-f]{64}"}$/);
    const file = join(await mkdtemp(join(tmpdir(), 'keelson-')), 'prod.json');
    await ends(0, ['export', 'prod', '--out', file], { out: /^$/ });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ formatVersion: 1, environment: 'prod' });
  });
});

describe('keelson import', () => {
  const args = ['import', 'prod', '--reason', 'a test'];
  const exported = async (): Promise<string> => (await keelson(['export', 'prod'])).out;

  it('exits with 5 where the import waits for a second person', async () => {
    const promotion = await dataOf(args, 5, { input: await exported() });
    expect(promotion).toMatchObject({ sourceEnvId: null, targetEnvId: 3, status: 'VALIDATED' });
    await ends(0, ['cancel', promotion.pid], { out: /CANCELLED\n$/ });
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

describe('keelson diff', () => {
  it('shows what would be added, updated and removed, with the SQL that it implies', async () => {
    const page = await newPage();
    const model = await newChangedModel();
    const { out } = await keelson(['diff', 'dev', 'staging']);
    expect(out).toContain(`  + ${page.name}  - -> 1\n`);
    expect(out).toContain(`  ~ ${model.name}  1 -> 2\n      add /fields/- {"code":"extra"`);
    expect(out).toContain(`      sql: alter table "staging"."mt_${model.code}" add column "extra" text\n`);
    await ends(0, ['diff', 'staging', 'dev'], { out: `  - ${page.name}  1 -> -\n` });
  });

  it('exits with 3 for differences where it is asked to', async () => {
    await newPage();
    await ends(3, ['diff', 'dev', 'staging', '--exit-code']);
    await ends(0, ['diff', 'dev', 'dev', '--exit-code'], { out: /^dev and dev are the same\n$/ });
  });
});

describe('keelson promote', () => {
  it('makes a promotion of what is named, validates it and shows the plan; with --apply it applies it', async () => {
    const { code } = await newModel({ fields: [NAME] });
    const args = ['promote', 'dev', 'staging', '--units', `MODEL/${code}`];
    const { out } = await keelson(args);
    expect(out).toMatch(/^[0-9A-Z]{26} {2}dev -> staging {2}VALIDATED\nPlan, sealed as [0-9a-f]{12}:\n/);
    expect(out).toContain(`  + MODEL/${code}  - -> 1\n      sql: create table "staging"."mt_${code}"`);
    await ends(0, [...args, ...APPLY], { out: / {2}dev -> staging {2}APPLIED\napplied at .*: a test\nDone:\n/ });
  });

  it('exits with 4 and names the conflicts and the ways out', async () => {
    const { code } = await newModel({ fields: [NAME] });
    const { out } = await keelson(['promote', 'dev', 'staging', '--units', `PAGE_SCHEMA/${code}`]);
    expect(out).toContain(`  ! MISSING_DEPENDENCY PAGE_SCHEMA/${code} (blocking)\n`);
    expect(out).toContain(`PAGE_SCHEMA/${code} content.modelCode -> MODEL/${code}`);
    expect(out).toContain('include it: --auto-include\n');
    await ends(0, ['promote', 'dev', 'staging', '--units', `PAGE_SCHEMA/${code}`, '--auto-include']);
  });

  it('takes decisions about conflicts by --resolve', async () => {
    const page = await newPage();
    await promote('staging', page.name, ...APPLY);
    await page.change('name', 'status');
    const args = ['promote', 'staging', 'dev', '--units', page.name];
    await ends(4, args, { out: 'The target has version 2, the source 1' });
    await ends(0, [...args, '--resolve', `TARGET_NEWER:${page.name}=use_source`], { out: 'resolved: use_source\n' });
  });

  it('takes consent to data getting out of reach by --consent', async () => {
    const model = await newChangedModel();
    await insert(tenant, model.code, [{ name: 'a', extra: 'b' }]);
    const resolve = ['--resolve', `TARGET_NEWER:${model.name}=use_source`];
    const args = ['promote', 'staging', 'dev', '--units', model.name, ...resolve, ...APPLY];
    await ends(1, args, {
      err: /^CONFLICT: .*\n.*extra has a value in 1 records\n {2}reason: CONSENT_REQUIRED\n {2}promotionPid: \w+\n$/,
    });
    await ends(0, [...args, '--consent', model.name], { out: 'APPLIED' });
  });

  it('exits with 5 where a second person is needed, and leaves the promotion for them', async () => {
    const page = await newPage();
    await ends(5, ['promote', 'dev', 'prod', '--units', page.name, '--auto-include', ...APPLY], {
      out: /^[0-9A-Z]{26} {2}dev -> prod {2}VALIDATED\nNext: keelson apply/,
      err: /^FOUR_EYES_REQUIRED: .*\n {2}missingApprovals: 1\n$/,
    });
  });

  it('exits with 1 where what is named does not differ', async () => {
    const { name } = await newPage();
    await promote('staging', name, ...APPLY);
    const err = `${name} is not among the differences between dev and staging\n`;
    await ends(1, ['promote', 'dev', 'staging', '--units', name], { err });
  });

  it('promotes every difference with --all, and makes no promotion where there is none', async () => {
    await newPage();
    const { out } = await keelson(['promote', 'dev', 'staging', '--all', '--json']);
    expect(JSON.parse(out)).toMatchObject({ units: '*' });
    await ends(0, ['promote', 'dev', 'dev', '--all'], { out: /^dev and dev are the same\n$/ });
  });
});

describe('keelson validate', () => {
  it('exits with 4 for conflicts, and with 0 once they are decided', async () => {
    const page = `PAGE_SCHEMA/${(await newModel({ fields: [NAME] })).code}`;
    const { pid } = await dataOf(['promote', 'dev', 'staging', '--units', page], 4);
    await ends(4, ['validate', pid], { out: 'DRAFT' });
    await ends(0, ['validate', pid, '--resolve', `MISSING_DEPENDENCY:${page}=skip`], { out: 'resolved: skip\n' });
  });
});

describe('keelson approve, apply and reject', () => {
  it('take a promotion to prod, by two people', async () => {
    const page = await newPage();
    const pid = await promote('prod', page.name);
    const approved = new RegExp(`approved by ${approver.email} at .*: fine\n`);
    await ends(0, ['approve', pid, '--comment', 'fine'], { as: approver, out: approved });
    const done = / {2}dev -> prod {2}APPLIED\napplied at .*: a test\nDone:\n/;
    await ends(0, ['apply', pid, '--reason', 'a test'], { out: done });
    expect(await page.versionIn('prod')).toBe(1);
  });

  it('exit with 5 where the same person does both', async () => {
    const pid = await promote('prod', (await newPage()).name);
    await ends(5, ['approve', pid], { err: 'FOUR_EYES_REQUIRED' });
    await ends(5, ['apply', pid, '--reason', 'a test'], { err: 'FOUR_EYES_REQUIRED' });
  });

  it('exit with 1 where the plan no longer holds', async () => {
    const page = await newPage();
    const pid = await promote('staging', page.name);
    await page.change('name', 'status');
    await ends(1, ['apply', pid, '--reason', 'a test'], { out: 'DRAFT', err: /^STALE_PLAN: / });
  });

  it('schedule an apply with --at', async () => {
    const pid = await promote('staging', (await newPage()).name);
    const out = 'VALIDATED\nto be applied at 2099-01-01T00:00:00.000Z\n';
    await ends(0, ['apply', pid, '--reason', 'a test', '--at', '2099-01-01T00:00:00Z'], { out });
    await ends(0, ['cancel', pid]);
  });

  it('watch what was applied with --soak', async () => {
    const pid = await promote('staging', (await newPage()).name);
    const out = /APPLIED\napplied at .*: a test\nsoak of 30 s: WATCHING, until /;
    await ends(0, ['apply', pid, '--reason', 'a test', '--soak', '30', '--max-error-rate', '0.5'], { out });
    const { soak } = await dataOf(['show', pid]);
    expect(soak).toMatchObject({ seconds: 30, maxErrorRate: 0.5 });
  });

  it('end a promotion by a reject', async () => {
    const pid = await promote('staging', (await newPage()).name);
    await ends(0, ['reject', pid, '--reason', 'not now'], { as: approver, out: /REJECTED\n$/ });
    await ends(1, ['apply', pid, '--reason', 'a test'], { err: /^PROMOTION_STATE: / });
  });
});

describe('keelson rollback', () => {
  it('makes the inverse of a promotion and goes on with it as promote does', async () => {
    const page = await newPage();
    await promote('staging', page.name, ...APPLY);
    await page.change('name', 'status');
    const pid = await promote('staging', page.name, ...APPLY);
    const plan = new RegExp(`  rollback of ${pid} -> staging  VALIDATED\n.*\n  ~ ${page.name}  2 -> 1\n`);
    await ends(0, ['rollback', pid], { out: plan });
    expect(await page.versionIn('staging')).toBe(2);
    await ends(0, ['rollback', pid, ...APPLY], { out: 'APPLIED' });
    expect(await page.versionIn('staging')).toBe(1);
  });

  it('promotes an earlier version of a resource', async () => {
    const page = await newPage();
    await page.change('name', 'status');
    await promote('staging', page.name, ...APPLY);
    const args = ['rollback', '--resource', page.name, '--in', 'staging', '--from', 'dev', ...APPLY, '--to-version'];
    await ends(1, [...args, '7'], { err: '  units.0.version: is not a version that dev has had\n' });
    await ends(0, [...args, '1'], { out: 'APPLIED' });
    expect(await page.versionIn('staging')).toBe(1);
  });
});

describe('keelson audit', () => {
  const ACTIONS = ['promotion.create', 'promotion.validate', 'promotion.apply'];

  it('shows who did what and why, the newest first, or all as JSON lines', async () => {
    const pid = await promote('staging', (await newPage()).name, ...APPLY);
    const [, ...lines] = (await keelson(['audit', '--target', pid])).out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[2])).toEqual([...ACTIONS].reverse());
    expect(lines[0]).toMatch(new RegExp(`${admin.email} +promotion.apply +staging +${pid} +a test$`));
    const all = (await keelson(['audit', '--target', pid, '--ndjson'])).out.trimEnd().split('\n');
    expect(all.map((line) => JSON.parse(line).action)).toEqual(ACTIONS);
  });

  it('checks the hash chain with --verify', () =>
    ends(0, ['audit', '--verify'], { out: /^The chain of \d+ entries is whole/ }));
});
