import { newAutomation, runIs, wait } from '../support/automations.ts';
import { dataOf, ends, person, startKeelson } from '../support/cli.ts';
import { until } from '../support/faults.ts';
import { newRole } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
let code: string;

beforeEach(async () => {
  tenant = await newTenant();
  admin = await newUser(['ADMIN'], tenant);
  person.present = admin;
  code = await newAutomation({
    input: [{ code: 'name', name: 'Name', type: 'string', required: true }],
    steps: [{ id: 'ok', type: 'approval', role: 'ADMIN', message: '"Take " + input.name + "?"' }, wait('nap', 1)],
  });
});

/** A run that waits for its approval. */
async function asking(): Promise<string> {
  const { runPid } = await dataOf(['runs', 'start', code, '--set', 'name=Ada']);
  await runIs(admin.token, runPid, ['WAITING']);
  return runPid;
}

describe('keelson runs', () => {
  it('watches a run live, while a second person finds what waits for them and approves it', async () => {
    const runPid = await asking();
    const watching = startKeelson(['runs', 'watch', runPid]);
    await until('it shows that the step waits', () => watching.printed.out.includes('ok (approval)  WAITING'));
    const second = await newUser(['ADMIN'], tenant);
    await ends(0, ['runs', 'approvals'], {
      as: second,
      out: new RegExp(`\n\\S+ +${code} +${runPid} +ok +Take Ada\\? +decide\n$`),
    });
    await ends(0, ['runs', 'approve', runPid, '--step', 'ok', '--comment', 'fine'], { as: second, out: /^FIELD/ });
    const { code: exit, out } = await watching.ended;
    expect([exit, out]).toEqual([0, expect.stringMatching(/ {2}nap \(wait\) {2}SUCCEEDED\n[^]*\nstatus +SUCCEEDED\n/)]);
  });

  it('rejects a step, exits with 1 where the run did not succeed, and lists those that failed', async () => {
    const runPid = await asking();
    await ends(0, ['runs', 'reject', runPid, '--comment', 'no']);
    await ends(1, ['runs', 'watch', runPid], { out: /\nstatus +FAILED\n/ });
    await ends(0, ['runs', 'list', '--automation', code, '--status', 'FAILED'], {
      out: new RegExp(`^AT .*\n\\S+ +FAILED +${code} +manual +\\S+ +${runPid} +[A-Z_]+: .*\n$`),
    });
    await ends(0, ['runs', 'show', runPid], { out: /\nok +approval +FAILED / });
  });

  it('cancels a run, once', async () => {
    const runPid = await asking();
    await ends(0, ['runs', 'cancel', runPid, '--reason', 'a test']);
    await runIs(admin.token, runPid, ['CANCELLED']);
    await ends(1, ['runs', 'cancel', runPid], { err: /^CONFLICT: / });
    await ends(1, ['runs', 'retry', runPid], { err: /^CONFLICT: / });
  });

  it('says what is wrong with the input, and who may not', async () => {
    await ends(1, ['runs', 'start', code], { err: 'name: is required' });
    const stranger = await newUser([await newRole([])], tenant);
    await ends(1, ['runs', 'start', code, '--set', 'name=Ada'], { as: stranger, err: 'FORBIDDEN' });
    await ends(1, ['runs', 'list', '--status', 'LOST'], { err: 'status: ' });
  });
});
