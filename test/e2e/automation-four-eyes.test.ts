import { ulid } from 'ulid';
import { call, execute } from '../support/api.ts';
import { act, newAutomation, runIs, startRun } from '../support/automations.ts';
import { until } from '../support/faults.ts';
import { newKey } from '../support/keys.ts';
import { save } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';

const FOUR_EYES_REQUIRED = { status: 403, body: { code: 'FOUR_EYES_REQUIRED' } };
const ask: AnyStep = { id: 'ok', type: 'approval', role: 'ADMIN', fourEyes: true };

let tenant: TestTenant;
let user: TestUser;
let second: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  [user, second] = await Promise.all([newUser(['ADMIN'], tenant), newUser(['ADMIN'], tenant)]);
});

const approve = ({ token }: TestUser, runPid: string) => act(token, runPid, 'approve', { approved: true });

describe('an approval with four eyes', () => {
  it('is not for the person whose API key started the run', async () => {
    const code = await newAutomation({ steps: [ask] });
    const { key } = await newKey(user, [`automation:run:${code}`]);
    const { runPid } = (await startRun(key, code)).body.data;
    await runIs(user.token, runPid, ['WAITING']);

    expect(await approve(user, runPid)).toMatchObject(FOUR_EYES_REQUIRED);

    expect(await approve(second, runPid)).toMatchObject({ status: 200 });
  });

  it('is not for the person whose API key caused the event that started the run', async () => {
    const name = `Four eyes ${ulid()}`;
    const relayed = `test:c_${ulid().toLowerCase()}`;
    const content = { name: relayed, modelCode: 'lead', operations: ['CREATE'] };
    await save('dev', { resourceType: 'COMMAND', code: relayed, content });
    // The run's own command starts the second automation: the person is the same along the whole chain.
    await newAutomation({
      trigger: { type: 'command', commandCode: 'crm:create_lead', filter: `result.name == "${name}"` },
      steps: [{ id: 'go', type: 'command', commandCode: relayed, payload: { name: '"relayed"' } }],
    });
    const code = await newAutomation({ trigger: { type: 'command', commandCode: relayed }, steps: [ask] });
    const { key } = await newKey(user, ['command:execute:*', 'record:*']);
    expect((await execute(key, 'crm:create_lead', { payload: { name } })).status).toBe(200);
    const runPid = await until('the run waits', async () => {
      const { body } = await call(`/api/automations/runs?automationCode=${code}&status=WAITING`, second);
      return body.data.records[0]?.runPid as string | undefined;
    });

    expect(await approve(user, runPid)).toMatchObject(FOUR_EYES_REQUIRED);

    expect(await approve(second, runPid)).toMatchObject({ status: 200 });
  });
});
