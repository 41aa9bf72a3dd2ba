import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../support/api.ts';
import {
  answering,
  APPLY,
  closeServers,
  ends,
  keelson,
  newChangedModel,
  newPage,
  person,
  promote,
} from '../support/cli.ts';
import { newCode } from '../support/models.ts';
import { freePort } from '../support/program.ts';
import { newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

let admin: TestUser;

beforeAll(async () => {
  admin = await newUser(['PLATFORM_ADMIN'], await newTenant());
  person.present = admin;
});
afterAll(closeServers);

describe('keelson', () => {
  it('explains its commands and its exit codes', async () => {
    const { out } = await keelson(['--help'], { as: null });
    for (const command of ['init', 'export', 'import', 'promotion create', 'promotion apply']) {
      expect(out).toContain(`\n  ${command} <`);
    }
    expect(out).toMatch(/ 0 {2}done\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}4 .*\n {2}5 .*\n {2}6 .*\n/);
    await ends(0, ['promotion', 'reject', '--help'], {
      out: /^Usage: keelson promotion reject <promotion>[^]*--reason .*\(required\)/,
    });
    await ends(0, ['help', 'promotion', 'reject'], { out: /^Usage: keelson promotion reject <promotion>/ });
    await ends(0, ['promotion', '--help'], {
      out: /\n {2}promotion create <source> <target> [^]*\n {2}promotion list /,
    });
  });

  it.each([
    [['fly'], 'There is no command fly; see keelson --help'],
    [['aply'], 'There is no command aply; did you mean keelson apply?'],
    [['promotion', 'lsit'], 'did you mean keelson promotion list?'],
    [['webhoks'], 'did you mean keelson webhooks?'],
    [['runs', 'aprove'], 'did you mean keelson runs approve?'],
    [['users'], 'There is no command users; see keelson users --help'],
    [['list', 'leads', '--sotr', 'name'], "There is no option '--sotr'; did you mean --sort?"],
    [['list', 'leads', '--pageSize', '5'], "There is no option '--pageSize'; see --help"],
    [['list', 'leads', '--where', 'status'], "such as 'status eq open'"],
    [['run', 'crm:create_lead', '--set', 'name'], 'such as name=Ada'],
    [['promotion', 'fly'], 'There is no command promotion fly'],
    [['promotion'], 'There is no command promotion'],
    [['diff', 'dev'], 'Name two environments'],
    [['diff', 'dev', 'staging', 'prod'], 'Unexpected argument prod'],
    [['diff', 'dev', 'staging', '--fast'], "'--fast'"],
    [['lock', 'prod'], '--reason is required'],
    [['promotion', 'apply', 'P'], '--reason is required'],
    [['promotion', 'reject', 'P'], '--reason is required'],
    [['promotion', 'create', 'dev', 'staging'], 'Set one of --units, --app and --all'],
    [
      ['promotion', 'create', 'dev', 'staging', '--all', '--units', 'MODEL/lead'],
      'Set one of --units, --app and --all',
    ],
    [['promotion', 'create', 'dev', 'staging', '--units', 'PAGE_SCHEMA'], 'A resource is written TYPE/code'],
    [['promotion', 'rollback'], 'Name a promotion'],
    [['promotion', 'rollback', 'P', '--apply'], '--apply needs --reason'],
    [['promotion', 'rollback', 'P', '--reason', 'a test'], '--reason goes with --apply'],
    [['promotion', 'create', 'dev', 'staging', '--all', '--soak', '60'], '--soak goes with --apply'],
    [['promotion', 'apply', 'P', '--reason', 'a test', '--max-error-rate', '0.1'], 'goes with --soak'],
    [['policy', 'prod', '--reason', 'a test'], 'Set at least one of --min-approvals'],
    [['policy', 'prod', '--reason', 'a test', '--self-approve', 'yes'], 'true or false'],
    [['set-secret', 'dev', 'TOKEN'], 'no value on standard input'],
    [['promotion', 'rollback', '--resource', 'PAGE_SCHEMA/leads', '--in', 'staging'], 'Name a promotion'],
  ])('exits with 2 for invalid arguments: %j', (args, err) => ends(2, args, { out: /^$/, err }));

  it('exits with 2 where nobody says who they are', () =>
    ends(2, ['environments'], { as: null, err: 'KEELSON_TOKEN' }));

  it('logs in with KEELSON_EMAIL and KEELSON_PASSWORD', async () => {
    const env = { KEELSON_EMAIL: admin.email, KEELSON_PASSWORD: PASSWORD };
    const { out } = await keelson(['login'], { as: null, env });
    expect((await call('/api/admin/environments', { token: out.trim() })).status).toBe(200);
  });

  it('exits with 1 and says code and message where the service refuses', () =>
    ends(1, ['environments', '--token', 'x.y.z'], {
      out: /^$/,
      err: /^UNAUTHORIZED: The token or API key is not valid, or has expired/,
    }));

  it.each(['a\nb', 'grün', 'a b', ''])('says what is wrong with %j for a token, and asks nothing', (token) =>
    ends(2, ['environments', '--token', token], { err: 'has characters that no token has' }),
  );

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
    expect(out).toMatch(new RegExp(`^${name} +\\S+ +${admin.email}$`, 'm'));
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

describe('keelson diff', () => {
  it('shows what would be added, updated and removed, with the SQL that it implies', async () => {
    const page = await newPage();
    const model = await newChangedModel();
    const { out } = await keelson(['diff', 'dev', 'staging']);
    expect(out).toContain(`  + ${page.name}  - -> 1\n`);
    expect(out).toContain(`  ~ ${model.name}  1 -> 2\n      add /fields/- {"code":"extra"`);
    expect(out).toContain(`      sql: alter table "staging"."mt_${model.code}" add column "extra" text\n`);
    await ends(3, ['diff', 'staging', 'dev'], { out: `  - ${page.name}  1 -> -\n` });
  });

  it('exits with 3 for differences, and with 0 for none', async () => {
    await newPage();
    await ends(3, ['diff', 'dev', 'staging']);
    await ends(0, ['diff', 'dev', 'dev'], { out: /^dev and dev are the same\n$/ });
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
