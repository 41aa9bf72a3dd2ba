import { ulid } from 'ulid';
import { call, expectRefusal } from '../support/api.ts';
import { act, newAutomation, runIs, startRun } from '../support/automations.ts';
import { newRole } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
let asked: TestUser;
/** A user whose name is the e-mail of the user who is asked. */
let namesake: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  const clerk = await newRole(['automation:run:*']);
  [admin, asked, namesake] = await Promise.all([
    newUser(['ADMIN'], tenant),
    newUser([clerk], tenant),
    newUser([clerk], tenant),
  ]);
  const body = { username: asked.email };
  const renamed = await call(`/api/admin/users/${namesake.pid}`, { method: 'PATCH', token: admin.token, body });
  expect(renamed.status).toBe(200);
});

const asking = (user: string) => newAutomation({ steps: [{ id: 'ok', type: 'approval', user }] });
const approve = ({ token }: TestUser, runPid: string) => act(token, runPid, 'approve', { approved: true });

async function begin(user: string): Promise<string> {
  const { status, body } = await startRun(admin.token, await asking(user));
  expect(status).toBe(202);
  return body.data.runPid;
}

describe('the user whom an approval asks', () => {
  it('is one user of the tenant, named by pid or e-mail: a namesake is another', async () => {
    for (const named of [asked.pid, asked.email, asked.email.toUpperCase()]) {
      const runPid = await begin(`"${named}"`);
      const waiting = await runIs(admin.token, runPid, ['WAITING']);
      expect(waiting.steps).toMatchObject([{ approvers: { role: null, user: asked.pid } }]);

      expectRefusal(await approve(namesake, runPid), 'FORBIDDEN', { reason: 'NOT_APPROVER' });

      expect(await approve(asked, runPid)).toMatchObject({ status: 200 });
    }
  });

  it('is found when the step begins: a name, a stranger or a disabled user fails it', async () => {
    const [stranger, disabled] = await Promise.all([newUser(['ADMIN'], await newTenant()), newUser([], tenant)]);
    const body = { status: 'disabled' };
    await call(`/api/admin/users/${disabled.pid}`, { method: 'PATCH', token: admin.token, body });
    for (const named of ['Ada', ulid(), stranger.pid, stranger.email, disabled.pid]) {
      const run = await runIs(admin.token, await begin(`"${named}"`), ['FAILED']);

      expect(run.error).toMatchObject({
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { 'ok.user': `"${named}" is not the pid or e-mail of an active user of this tenant` } },
      });
    }
  });

  it('is not named by a user name when the automation is saved', async () => {
    for (const user of ['actor.username', 'run.startedBy', 'input.x ? actor.username : "a"']) {
      expect(await failureOf(asking(user))).toMatchObject({
        code: 'VALIDATION_ERROR',
        data: {
          fieldErrors: {
            'content.steps.0': 'user must give a pid or an e-mail, such as actor.pid: names are not unique',
          },
        },
      });
    }
  });
});
