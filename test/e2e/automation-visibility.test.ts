import { ulid } from 'ulid';
import { runStreamKey } from '../../src/features/automations/runs/show/run-stream.ts';
import { call, execute } from '../support/api.ts';
import { getRun, newAutomation, runIs, runToEnd } from '../support/automations.ts';
import { until } from '../support/faults.ts';
import { newModel, newRole, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { watch } from '../support/streams.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/** A value that only readers of `lead.score` may see. */
const SCORE = 97;

let tenant: TestTenant;
let admin: TestUser;
/** May run everything and read leads, but not their score. */
let blind: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  admin = await newUser(['ADMIN'], tenant);
  blind = await newUser([await newRole(['automation:run:*', 'record:read:lead'])], tenant);
});

const runsOf = async (code: string, user = admin) => {
  const { body } = await call(`/api/automations/runs?automationCode=${code}`, { token: user.token });
  return body.data.records as { runPid: string; input: Record<string, unknown> | null; error: unknown }[];
};
const onlyRun = (code: string) => until('the run begins', async () => (await runsOf(code))[0]);
const stepOf = (run: { steps: { id: string; output: unknown }[] }, id: string) =>
  run.steps.find((step) => step.id === id)?.output;

describe('a run that an event of records began', () => {
  const NUMBER = { name: 'N', type: 'integer' as const };
  const onLeads = () =>
    newAutomation({
      trigger: {
        type: 'command',
        commandCode: 'crm:create_lead',
        filter: `score == ${SCORE}`,
        input: { renamed: 'event.payload.score', name: 'event.payload.name', all: 'event.payload' },
      },
      runAs: 'ADMIN',
      input: [
        { code: 'renamed', ...NUMBER },
        { code: 'name', name: 'Name', type: 'string' },
        { code: 'all', name: 'All', type: 'json' },
      ],
      steps: [
        {
          id: 'found',
          type: 'query',
          modelCode: 'lead',
          filters: [{ fieldName: 'name', operator: 'eq', value: '"Ada"' }],
        },
        {
          id: 'rated',
          type: 'query',
          modelCode: 'lead',
          filters: [{ fieldName: 'score', operator: 'eq', value: String(SCORE) }],
        },
        {
          id: 'loop',
          type: 'forEach',
          items: '[input.renamed]',
          steps: [{ id: 'pause', type: 'wait', seconds: 0.01 }],
        },
        { id: 'ask', type: 'approval', role: 'SALES', message: '"score " + string(input.renamed)' },
      ],
    });

  it('shows a reader its input and outputs without the fields that they may not read, whatever their names are', async () => {
    const code = await onLeads();
    await execute(admin.token, 'crm:create_lead', { payload: { name: 'Ada', score: SCORE } });
    const { runPid } = await onlyRun(code);
    await until('it asks', async () => stepOf((await getRun(admin.token, runPid)).body.data, 'ask'));

    const [whole, cut] = await Promise.all(
      [admin, blind].map(async ({ token }) => (await getRun(token, runPid)).body.data),
    );

    expect(whole.input).toMatchObject({ renamed: SCORE, name: 'Ada', all: { score: SCORE } });
    expect(stepOf(whole, 'found')).toMatchObject({ records: [{ name: 'Ada', score: SCORE }] });
    expect(stepOf(whole, 'ask')).toEqual({ message: `score ${SCORE}` });
    expect(cut.input).toEqual({ name: 'Ada', all: { name: 'Ada' } });
    expect(stepOf(cut, 'found')).toMatchObject({ records: [{ name: 'Ada' }] });
    // What is found by a field tells of it.
    expect([stepOf(whole, 'rated'), stepOf(cut, 'rated')]).toMatchObject([{ total: 1 }, null]);
    expect(stepOf(cut, 'loop')).toEqual({ count: 1 });
    expect(stepOf(cut, 'ask')).toEqual({});
    expect(JSON.stringify([cut, await runsOf(code, blind)])).not.toMatch(/[: ]97\b/);
    // An approver is asked by a message that was written for them.
    const approver = await newUser([await newRole(['record:read:lead']), 'SALES'], tenant);
    expect(stepOf((await getRun(approver.token, runPid)).body.data, 'ask')).toEqual({ message: `score ${SCORE}` });
  });

  it('shows nothing of a record that a row rule hides from the reader, nor of a model without record:read', async () => {
    const model: TestModel = await newModel({
      fields: [{ code: 'name', name: 'Name', type: 'string' }],
      rowRules: [
        {
          name: 'Own',
          conditions: [{ fieldName: 'created_by', operator: 'eq', value: '$user.pid' }],
          unless: 'record:read_all:t',
        },
      ],
    });
    const code = await newAutomation({
      trigger: { type: 'command', commandCode: model.command, input: { text: 'event.payload.name' } },
      runAs: 'ADMIN',
      input: [{ code: 'text', name: 'Text', type: 'string' }],
      steps: [{ id: 'found', type: 'query', modelCode: model.code }],
    });
    const secret = ulid();
    await execute(admin.token, model.command, { operationType: 'CREATE', payload: { name: secret } });
    const { runPid } = await onlyRun(code);
    await runIs(admin.token, runPid, ['SUCCEEDED']);
    const hindered = await newUser([await newRole(['automation:run:*', `record:read:${model.code}`])], tenant);

    for (const { token } of [hindered, blind]) {
      const { data } = (await getRun(token, runPid)).body;
      expect(data).toMatchObject({ input: null, steps: [{ id: 'found', status: 'SUCCEEDED', output: null }] });
    }
    expect((await getRun(admin.token, runPid)).body.data).toMatchObject({
      input: { text: secret },
      steps: [{ output: { records: [{ name: secret }] } }],
    });
  });
});

describe('an error of a run', () => {
  const failing = () =>
    newAutomation({
      input: [{ code: 'name', name: 'Name', type: 'string' }],
      steps: [
        { id: 'found', type: 'query', modelCode: 'lead' },
        {
          id: 'bad',
          type: 'command',
          commandCode: 'crm:create_lead',
          payload: { name: 'input.name', status: 'input.name' },
        },
      ],
    });

  it('shows its words and data to those from whom nothing is hidden, its code and place to all', async () => {
    const { runPid, error } = await runToEnd(admin.token, await failing(), { name: 'a secret' });
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', data: { fieldErrors: expect.any(Object), step: 'bad' } });

    const { data } = (await getRun(blind.token, runPid)).body;

    expect(data.error).toEqual({
      code: 'VALIDATION_ERROR',
      message: expect.any(String),
      data: expect.not.objectContaining({ fieldErrors: expect.anything() }),
    });
    expect(data.error.data).toMatchObject({ step: 'bad' });
    expect(data.steps[1].error).toEqual({ code: 'VALIDATION_ERROR', message: data.error.message, data: {} });
  });

  it('is in the stream without what only some of its readers may see', async () => {
    const { runPid } = await runToEnd(admin.token, await failing(), { name: 'a secret' });
    const stream = await watch(`/api/automations/runs/${runPid}/stream`, { token: admin.token });

    await stream.over();

    expect(JSON.stringify(stream.events)).toContain('VALIDATION_ERROR');
    expect(JSON.stringify(stream.events)).not.toContain('fieldErrors');
  });
});

describe('the stream of a run that has ended', () => {
  const key = (runPid: string) => runStreamKey({ pid: runPid, retries: 0 });
  const startedOver = async (): Promise<string> => {
    const code = await newAutomation({ steps: [{ id: 'found', type: 'query', modelCode: 'lead' }] });
    const { runPid } = await runToEnd(admin.token, code);
    await (await watch(`/api/automations/runs/${runPid}/stream`, { token: admin.token })).over();
    await (await container()).streamWriter.forget(key(runPid));
    return runPid;
  };

  it('says how it ended, and how far it had come, after it has expired', async () => {
    const runPid = await startedOver();

    const stream = await watch(`/api/automations/runs/${runPid}/stream`, { token: admin.token });

    await stream.over();
    expect(stream.named('run').map(({ data }) => data)).toEqual([
      expect.objectContaining({ runPid, status: 'SUCCEEDED', progress: { finished: 1, total: 1 } }),
    ]);
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { runPid, status: 'SUCCEEDED' } });
  });

  it('is ended by its workflow, once that has told the last steps', async () => {
    const runPid = await startedOver();
    await runSql('update platform.automation_step set published = false where run_pid = $1 returning key', [runPid]);

    const stream = await watch(`/api/automations/runs/${runPid}/stream`, { token: admin.token });

    expect(await (await container()).streamWriter.read(key(runPid))).toEqual([]);
    stream.leave();
  });
});
