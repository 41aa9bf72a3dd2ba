import { ulid } from 'ulid';
import type { AssistantContent } from '../../src/features/assistant/assistant-type.ts';
import { list } from '../support/api.ts';
import { newAutomation, runIs, runToEnd, startRun, stepsOf } from '../support/automations.ts';
import { until } from '../support/faults.ts';
import { ModelServer, type Asked } from '../support/model-server.ts';
import { insert, newCode, newRole, save } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let models: ModelServer;
let node: OwnNode;
let tenant: TestTenant;
let user: TestUser;

const settings = (roles: string, taskQueue: string) => ({
  AI_BASE_URL: models.url,
  AI_MODEL: 'test-model',
  AI_TIMEOUT_MS: '5000',
  TEMPORAL_TASK_QUEUE: taskQueue,
  KEELSON_ROLES: roles,
});
const start = (roles: string, taskQueue: string) => startNodeHere(settings(roles, taskQueue));

beforeAll(async () => {
  models = await ModelServer.start();
  node = await start('api,worker', `ask-${ulid()}`);
});
beforeEach(async () => {
  models.forget();
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
});

const ask = (prompt: string, more: object = {}) =>
  ({ id: 'ask', type: 'assistant', assistant: 'crm', prompt, ...more }) as const;
/** Makes a lead that is called what the assistant has said: what steps gave is not shown. */
const keep = (name: string) =>
  ({ id: 'keep', type: 'command', commandCode: 'crm:create_lead', payload: { name } }) as const;
const namesOf = async (): Promise<string[]> =>
  (await list(user.token, 'leads', {})).body.data.records.map(({ name }: { name: string }) => name);
const outputOf = async (runPid: string) => {
  const where = "run_pid = $1 and step_id = 'ask'";
  const [row] = await runSql<{ output: object }>(`select output from platform.automation_step where ${where}`, [
    runPid,
  ]);
  return row?.output;
};

/** Begins a run on the node that has a provider, and waits for its end. */
async function run(...given: Parameters<typeof newAutomation>) {
  const { body } = await startRun(user.token, await newAutomation(...given), {}, { baseUrl: node.url });
  return runIs(user.token, body.data.runPid, ['SUCCEEDED', 'FAILED']);
}

describe('a step that asks an assistant', () => {
  it('gives what it says to later steps: the built-in one, too, which looks things up with the rights of the run', async () => {
    await insert(tenant, 'lead', [{ name: 'a' }, { name: 'b' }]);
    const code = await newAutomation({
      input: [{ code: 'what', name: 'What', type: 'string' }],
      steps: [ask('"how many " + input.what'), keep('"said: " + steps.ask.text')],
    });

    const done = await runToEnd(user.token, code, { what: 'leads' });

    expect(stepsOf(done)).toEqual(['ask SUCCEEDED', 'keep SUCCEEDED']);
    expect(await outputOf(done.runPid)).toMatchObject({ json: null, tools: ['list_records'] });
    expect(await namesOf()).toContainEqual(expect.stringMatching(/^said: .*\b2 leads/));
  });

  it('asks the provider that the operator has configured, in one question, with tools that read and no other', async () => {
    models.answer = () => ({ text: ['```json\n{"priority": "high"}', '\n```'] });

    const done = await run({
      steps: [
        ask('"Judge this: " + run.automationCode'),
        { id: 'is_high', type: 'condition', assert: 'steps.ask.json.priority == "high"', otherwise: 'fail' },
      ],
    });

    expect(stepsOf(done)).toEqual(['ask SUCCEEDED', 'is_high SUCCEEDED']);
    const [{ body } = { body: null }] = models.asked;
    expect(body.messages).toEqual([
      { role: 'system', content: expect.stringContaining('An automation asks you') },
      { role: 'user', content: `Judge this: ${done.automationCode}` },
    ]);
    const tools = body.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(tools).toEqual(['list_records', 'read_record', 'describe_model']);
  });

  it('runs no command, whatever the model asks for: nobody could confirm it', async () => {
    models.answer = (_asked, index) =>
      index === 0
        ? {
            text: ['Let me see. '],
            calls: [{ name: 'run_command', arguments: { command: 'crm:create_lead', payload: { name: 'x' } } }],
          }
        : { text: ['I could not.'] };

    const done = await run({ steps: [ask('"create a lead"')] });

    expect(done.status).toBe('SUCCEEDED');
    expect(await outputOf(done.runPid)).toEqual({ text: 'I could not.', json: null, tools: ['run_command'] });
    const result = JSON.parse(models.asked[1]?.body.messages.at(-1).content);
    expect(result).toMatchObject({ ok: false, code: 'NOT_FOUND' });
    expect(await namesOf()).toEqual([]);
  });

  it('has the rights of the run: for the assistant itself, and for what it looks into', async () => {
    const code = await newAutomation({ steps: [ask('"how many leads"')] });
    const stranger = await newUser([await newRole([`automation:run:${code}`, 'record:read:lead'])], tenant);
    expect(await runToEnd(stranger.token, code)).toMatchObject({
      status: 'FAILED',
      error: { code: 'FORBIDDEN', data: { permission: 'assistant:use:crm', step: 'ask' } },
    });
    const blind = await newUser([await newRole([`automation:run:${code}`, 'assistant:use:crm'])], tenant);
    const done = await runToEnd(blind.token, code);
    expect(await outputOf(done.runPid)).toMatchObject({ tools: [] });
  });

  it('answers in as many turns as the assistant may have, and then without tools', async () => {
    const assistant = newCode();
    const content: AssistantContent = {
      name: 'Short',
      systemPrompt: 'Be short.',
      maxTurns: 1,
      tools: { list: ['lead'] },
    };
    await save('dev', { resourceType: 'ASSISTANT', code: assistant, content });
    models.answer = ({ body }) =>
      body.tools ? { calls: [{ name: 'list_records', arguments: { model: 'lead' } }] } : { text: ['enough'] };

    const done = await run({ steps: [ask('"look"', { assistant })] });

    expect(await outputOf(done.runPid)).toEqual({ text: 'enough', json: null, tools: ['list_records'] });
    expect(models.asked).toHaveLength(2);
  });

  it('fails where the provider does, is tried again as often as it says, and tells nobody what the provider said', async () => {
    models.answer = () => ({ status: 401 });
    const retry = { maxAttempts: 2, initialSeconds: 0.1 };

    const done = await run({ steps: [ask('"x"', { retry })] });

    expect(done).toMatchObject({ status: 'FAILED', error: { code: 'SERVICE_UNAVAILABLE', data: { step: 'ask' } } });
    expect(done.steps).toMatchObject([{ id: 'ask', type: 'assistant', attempt: 2 }]);
    expect(models.asked).toHaveLength(2);
    expect(JSON.stringify(done)).not.toContain('secret details');
  });

  it('takes no longer than it may, and hangs up then', async () => {
    models.answer = () => ({ text: ['Well'], hang: 'pieces' });

    const done = await run({ steps: [ask('"x"', { timeoutSeconds: 4 })] });

    expect(done).toMatchObject({ status: 'FAILED', error: { code: 'REQUEST_TIMEOUT' } });
    await until('the question is given up', () => models.asked[0]?.hungUp);
  });

  it.each([[{}], [{ what: ' ' }], [{ what: 2 }]])('fails where the prompt is no text: %j', async (given) => {
    const input = [{ code: 'what', name: 'What', type: 'json' as const }];
    const done = await runToEnd(user.token, await newAutomation({ input, steps: [ask('input.what')] }), given);
    const fieldErrors = { 'ask.prompt': expect.any(String) };
    expect(done).toMatchObject({ status: 'FAILED', error: { code: 'VALIDATION_ERROR', data: { fieldErrors } } });
    expect(models.asked).toHaveLength(0);
  });

  it('cannot be saved for an assistant that is not there', async () => {
    const code = newCode();
    const saved = newAutomation({ steps: [ask('"x"', { assistant: 'nobody' })] }, code);
    const path = `AUTOMATION/${code} content.steps.0.assistant`;
    expect(await failureOf(saved)).toEqual({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { [path]: 'nobody is not an assistant' } },
    });
  });

  /**
   * What this proves: an answer is the step's once it is in the row; a worker that dies before that leaves a
   * question to be asked again.
   */
  it('is asked again when its worker is killed, and answers once', async () => {
    const taskQueue = `ask-${ulid()}`;
    const [api, doomed] = await Promise.all([start('api', taskQueue), startProgram(settings('worker', taskQueue))]);
    models.answer = (_asked: Asked, index) => (index === 0 ? { hang: 'headers' } : { text: ['second'] });
    const code = await newAutomation({ steps: [ask('"x"'), keep('steps.ask.text')] });
    const { body } = await startRun(user.token, code, {}, { baseUrl: api.url });
    await models.have(1);

    await doomed.stop('SIGKILL');
    await start('worker', taskQueue);

    const done = await runIs(user.token, body.data.runPid, ['SUCCEEDED', 'FAILED']);
    expect(stepsOf(done)).toEqual(['ask SUCCEEDED', 'keep SUCCEEDED']);
    expect(done.steps[0].attempt).toBe(1);
    expect(await namesOf()).toEqual(['second']);
  });
});
