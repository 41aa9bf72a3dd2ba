import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { checkFiles } from '../../cli/app/check-files.ts';
import { pidOfUser } from '../../cli/app/data-names.ts';
import { readChecked } from '../../cli/app/checked-application.ts';
import { newApplication, write } from '../support/application.ts';

let folder: string;
let app: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-data-'));
  app = await newApplication(folder);
  const fields = [
    '{ code: name, name: N, type: string, required: true, unique: true, maxLength: 20 }',
    '{ code: owner, name: O, type: user }',
    '{ code: state, name: S, type: enum, values: [open, returned], default: open }',
    '{ code: due, name: D, type: date, default: $today }',
    '{ code: boss, name: B, type: relation, target: cust }',
  ];
  const list = fields.map((field) => `    - ${field}\n`).join('');
  await write(app, 'resources/cust.yaml', `resourceType: MODEL\ncode: cust\ncontent:\n  name: C\n  fields:\n${list}`);
});
afterEach(() => rm(folder, { recursive: true }));

const TENANTS = 'password: a-password-of-12\ntenants: [{ name: my-app }, { name: demo }]\nusers:\n';
const user = (email: string, rest = 'memberships: [{ tenant: my-app, roles: [AGENT] }]') =>
  `  - { email: ${email}, username: a, defaultTenant: my-app, ${rest} }\n`;
const told = async () =>
  (await checkFiles(await readApplication(app))).map(
    ({ file, line, column, message }) => `${file.slice(file.indexOf('data/') + 5)}:${line}:${column} ${message}`,
  );

describe('the data of an application', () => {
  it('name users and records, which get the same pids in every installation', async () => {
    await write(app, 'data/users.yaml', TENANTS + user('alice@rental.example'));
    await write(
      app,
      'data/records/cust.yaml',
      '- { pid: cust-alice, name: Alice, owner: "$user:Alice@rental.example" }\n- { name: Bob, boss: cust-alice }\n',
    );
    await write(
      app,
      'data/demo/records/cust.yaml',
      '- { pid: cust-alice, name: Alice }\n- { name: B, boss: cust-alice }\n',
    );
    await write(app, 'data/dev/demo/records/cust.yaml', '- { pid: 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C, name: C }\n');

    expect(await told()).toEqual([]);
    const { data } = await readChecked(app);
    const records = data.records.filter(({ modelCode }) => modelCode === 'cust');
    expect(records.map(({ tenant }) => tenant)).toEqual(['demo', 'demo', 'my-app']);
    const [ofDemo, , ofFirst] = records;
    const [alice, bob] = ofFirst?.records ?? [];
    expect(alice).toMatchObject({
      pid: expect.stringMatching(/^00[0-9A-Z]{24}$/),
      owner: pidOfUser('alice@rental.example'),
    });
    expect(bob).toMatchObject({ boss: alice?.pid, state: 'open', due: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    // Another tenant has a record of its own by that name.
    expect(ofDemo?.records[0]?.pid).not.toBe(alice?.pid);
    expect(ofDemo?.records[1]?.boss).toBe(ofDemo?.records[0]?.pid);
    const again = (await readChecked(app)).data.records.filter(({ modelCode }) => modelCode === 'cust');
    expect(again.at(-1)?.records[0]?.pid).toBe(alice?.pid);
  });

  it('are checked as a payload is, all at once', async () => {
    await write(
      app,
      'data/users.yaml',
      TENANTS.replace('a-password-of-12', 'short') +
        user('alice@rental.example', 'memberships: [{ tenant: my-ap, roles: [AGNET] }]') +
        user('alice') +
        user('ALICE@rental.example'),
    );
    await write(
      app,
      'data/records/cust.yaml',
      [
        '- { pid: cust-alice, name: Alice }',
        '- { name: Bob, state: retruned, due: 31.12.2026 }',
        '- { name: Bob, boss: cust-alcie, owner: "$user:alcie@rental.example", nmae: x }',
        '- { pid: "a b", name: "" }',
        '- { pid: cust-alice, name: a name that is too long, created_at: then }',
        '- Carl',
        '',
      ].join('\n'),
    );
    await write(app, 'data/records/custt.yaml', '- { name: A }\n');
    await write(app, 'data/dmo/records/cust.yaml', '- { name: A }\n');
    await write(app, 'data/staging/records/cust.yaml', '- { name: A }\n');

    expect((await told()).sort()).toEqual(
      [
        'users.yaml:1:11 password must have 12 to 128 characters',
        'users.yaml:4:96 users.0.memberships.0.tenant my-ap is none of the tenants; did you mean my-app?',
        'users.yaml:4:111 users.0.memberships.0.roles.0 AGNET is not a role; did you mean AGENT?',
        'users.yaml:5:14 users.1.email must be an e-mail',
        'users.yaml:6:14 users.2.email alice@rental.example is there twice',
        'dmo:1:1 dmo is none of the tenants; did you mean demo?',
        'staging:1:1 staging gets no records from files: only dev does',
        'records/cust.yaml:2:23 1.state must be one of open, returned; did you mean returned?',
        'records/cust.yaml:2:38 1.due must be a date such as 2026-01-31',
        'records/cust.yaml:3:11 2.name is unique, and an earlier record has "Bob"',
        'records/cust.yaml:3:22 2.boss cust-alcie is no record of cust; did you mean cust-alice?',
        'records/cust.yaml:3:41 2.owner alcie@rental.example is none of the users; did you mean alice@rental.example?',
        'records/cust.yaml:3:77 2.nmae is not a field of cust; did you mean name?',
        'records/cust.yaml:4:10 3.pid must be a pid, or a name such as cust-alice',
        'records/cust.yaml:4:23 3.name is required',
        'records/cust.yaml:5:10 4.pid is unique, and an earlier record has "cust-alice"',
        'records/cust.yaml:5:28 4.name must not be longer than 20 characters',
        'records/cust.yaml:5:65 4.created_at must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z',
        'records/cust.yaml:6:3 5 must be a record',
        'records/custt.yaml:1:1 there is no model custt',
      ].sort(),
    );
  });

  it('are told once where users.yaml has another form', async () => {
    const wrong = TENANTS + user('alice@rental.example', 'memberships: { my-app: [AGENT] }');
    await write(app, 'data/users.yaml', wrong);
    await write(app, 'data/records/cust.yaml', '- { name: A, owner: "$user:alice@rental.example" }\n');

    expect(await told()).toEqual([
      expect.stringMatching(
        /users\.yaml:4:\d+ users\.0\.memberships must be a list such as \[\{ tenant: my-app, roles: \[AGENT\] \}\]$/,
      ),
    ]);
  });

  it('do not give a pid to two tenants', async () => {
    await write(app, 'data/users.yaml', TENANTS + user('alice@rental.example'));
    await write(app, 'data/records/cust.yaml', '- { pid: alice, name: Alice }\n');
    await write(app, 'data/demo/records/cust.yaml', '- { pid: alice, name: Alice }\n');

    expect(await told()).toEqual([expect.stringContaining('0.pid is that of a record of another tenant')]);
  });

  it('have the values of computed fields, which no file gives', async () => {
    await write(
      app,
      'resources/item.yaml',
      'resourceType: MODEL\ncode: item\ncontent:\n  name: I\n  fields:\n    - { code: size, name: S, type: integer }\n' +
        '    - { code: part, name: P, type: integer, computed: 12 / record.size }\n' +
        '  checks:\n    - { assert: record.part > 2, message: Too small, fields: [part] }\n',
    );
    await write(app, 'data/records/item.yaml', '- { size: 4 }\n- { size: 6 }\n- { size: 0 }\n- { size: 4, part: 3 }\n');
    expect(await told()).toEqual([
      'records/item.yaml:2:3 1.part Too small',
      'records/item.yaml:3:3 2.part must be a whole number between -2147483648 and 2147483647',
      'records/item.yaml:4:20 3.part is set by the platform',
    ]);
  });

  it('keep to the checks of their model', async () => {
    await write(
      app,
      'resources/item.yaml',
      'resourceType: MODEL\ncode: item\ncontent:\n  name: I\n  fields: [{ code: size, name: S, type: integer }]\n' +
        '  checks:\n    - { assert: record.size > 1, message: Too small, fields: [size] }\n' +
        '    - { assert: record.size < 9, message: Too large, reason: LARGE }\n',
    );
    await write(app, 'data/records/item.yaml', '- { size: 1 }\n- { size: 2 }\n- { size: 9 }\n');
    expect(await told()).toEqual(['records/item.yaml:1:11 0.size Too small', 'records/item.yaml:3:3 2 Too large']);
  });

  it('need a tenant', async () => {
    await rm(join(app, 'data/users.yaml'));
    expect(await told()).toEqual(['records:1:1 data/users.yaml has no tenant whose records these are']);
  });
});
