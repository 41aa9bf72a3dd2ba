import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';
import { runWorkflowId } from '../../workflows/contracts.ts';
import { dataOf, refusal } from '../support/api.ts';
import { getRun, newAutomation, runToEnd } from '../support/automations.ts';
import { temporal } from '../support/faults.ts';
import { newCode, newModel } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { runSql } from '../support/platform.ts';
import { newAdmin, unitOf, type Admin } from '../support/promotions.ts';
import { Receiver } from '../support/receiver.ts';
import { watch } from '../support/streams.ts';

let own: OwnProgram;
let admin: Admin;
let receiver: Receiver;
beforeAll(async () => {
  own = await startOwnProgram('automation_secrets', { LOG_LEVEL: 'trace' });
  admin = await newAdmin();
  receiver = await Receiver.start();
});
afterAll(() => own.stop());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => ({});
});

const set = async (name: string, value: string, environment = 'dev') =>
  dataOf(await admin.put(`/admin/environments/${environment}/secrets/${name}`, { value }));
const newName = () => `S_${newCode().toUpperCase()}`;
/** Needs to be written otherwise in JSON and in URLs. */
const VALUE = 'a "very" secret/value é';

const call = (headers: Record<string, string>, more: Partial<AnyStep> = {}): AnyStep => ({
  id: 'call',
  type: 'http',
  url: `"${receiver.url}"`,
  method: 'POST',
  headers,
  ...more,
});
const run = async (headers: Record<string, string>, more: Partial<AnyStep> = {}, input = {}) => {
  const fields = Object.keys(input).map((code) => ({ code, name: code, type: 'string' as const }));
  const code = await newAutomation({ input: fields, steps: [call(headers, more)] });
  return runToEnd(admin.user.token, code, input);
};
const sent = (name: string) => receiver.received.at(-1)?.headers[name];

/** Everything that this installation's database holds, as text. */
async function wholeDatabase(): Promise<string> {
  const tables = await runSql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('platform', 'dev')`,
  );
  const texts = await Promise.all(
    tables.map(({ name }) => runSql<{ row: string }>(`select t::text as row from ${name} t`)),
  );
  return texts.flatMap((each) => each.map(({ row }) => row)).join('\n');
}

/** Everything that Temporal keeps of a run, as text. */
async function historyOf(runPid: string): Promise<string> {
  const { workflow } = await temporal();
  const history = await workflow.getHandle(runWorkflowId(runPid)).fetchHistory();
  return JSON.stringify(history, (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}

describe('a secret that a header of an http step names', () => {
  it('is sent, with what stands around it, as it is at the moment of the call', async () => {
    const name = newName();
    await set(name, 'first');
    const header = { Authorization: `"Bearer {{secret:${name}}} for " + input.who` };
    const code = await newAutomation({
      input: [{ code: 'who', name: 'Who', type: 'string' }],
      steps: [call(header)],
    });

    expect(await runToEnd(admin.user.token, code, { who: 'me' })).toMatchObject({ status: 'SUCCEEDED' });
    expect(sent('authorization')).toBe('Bearer first for me');
    await set(name, 'second');
    expect(await runToEnd(admin.user.token, code, { who: 'me' })).toMatchObject({ status: 'SUCCEEDED' });
    expect(sent('authorization')).toBe('Bearer second for me');
  });

  it('stands nowhere afterwards: not in rows, run details, streams, logs or the history, though the endpoint repeats it', async () => {
    const name = newName();
    await set(name, VALUE);
    receiver.answer = ({ headers }) => ({
      headers: { 'content-type': 'application/json', 'x-echo': String(headers['x-key']) },
      body: JSON.stringify({ got: VALUE, url: `/?key=${encodeURIComponent(VALUE)}` }),
    });
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string', maxLength: 500 }] });
    const kept = 'steps.call.body.got + " " + steps.call.body.url + " " + steps.call.headers["x-echo"]';
    const code = await newAutomation({
      steps: [
        call({ 'X-Key': `"{{secret:${name}}}"` }),
        { id: 'keep', type: 'command', commandCode: model.command, operationType: 'CREATE', payload: { name: kept } },
        { id: 'tell', type: 'webhook', payload: { all: kept } },
      ],
    });
    const done = await runToEnd(admin.user.token, code);
    expect(done).toMatchObject({ status: 'SUCCEEDED' });
    expect(sent('x-key')).toBe(VALUE);
    // One that fails is quoted.
    receiver.answer = () => ({ status: 500, body: VALUE });
    const failed = await run({ 'X-Key': `"{{secret:${name}}}"` });
    expect(failed).toMatchObject({ status: 'FAILED', error: { data: { statusCode: 500, body: '***' } } });

    const stream = await watch(`/api/automations/runs/${done.runPid}/stream`, { token: admin.user.token });
    await stream.over();
    const details = await getRun(admin.user.token, failed.runPid);
    const records = await runSql<{ name: string }>(`select name from dev.mt_${model.code}`);
    expect(records).toEqual([{ name: '*** /?key=*** ***' }]);
    const places = {
      database: await wholeDatabase(),
      history: (await historyOf(done.runPid)) + (await historyOf(failed.runPid)),
      details: JSON.stringify([done, details.body]),
      stream: JSON.stringify(stream.events),
      logs: own.program.logs(),
    };
    for (const [place, text] of Object.entries(places)) {
      expect([place, text.length > 0, text.includes('secret/value'), text.includes('secret%2Fvalue')]).toEqual([
        place,
        true,
        false,
        false,
      ]);
    }
    expect(places.database).toContain(done.runPid);
    expect(places.logs).toContain(done.runPid);
  });

  it('is named by the definition alone: a reference in data is a text like any other', async () => {
    const [mine, other] = [newName(), newName()];
    await set(mine, 'mine');
    await set(other, 'other');
    const text = `{{secret:${other}}} {{secret:${mine}}}`;

    const done = await run({ 'X-Both': `"{{secret:${mine}}} " + input.text`, 'X-Data': 'input.text' }, {}, { text });

    expect(done).toMatchObject({ status: 'SUCCEEDED' });
    expect([sent('x-both'), sent('x-data')]).toEqual([`mine ${text}`, text]);
  });

  it('fails the step where the environment lacks it, without a call and without another attempt', async () => {
    const name = newName();

    const done = await run({ 'X-Key': `"{{secret:${name}}}"` }, { retry: { maxAttempts: 3, initialSeconds: 0.1 } });

    expect(done).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'CONFLICT',
        message: `dev has no secret ${name}`,
        data: { reason: 'SECRET_MISSING', secret: name },
      },
      steps: [{ id: 'call', attempt: 1 }],
    });
    expect(receiver.received).toHaveLength(0);
  });

  it('fails the step where no header can hold it, and is not quoted', async () => {
    const name = newName();
    await set(name, 'two\nlines');
    const done = await run({ 'X-Key': `"{{secret:${name}}}"` });
    expect(done).toMatchObject({ status: 'FAILED', error: { data: { errorClass: 'blocked' } } });
    expect(JSON.stringify(done)).not.toContain('lines');
  });

  it('cannot be deleted while the automation needs it', async () => {
    const name = newName();
    await set(name, VALUE);
    const code = await newAutomation({ steps: [call({ 'X-Key': `"{{secret:${name}}}"` })] });

    const removed = await admin.delete(`/admin/environments/dev/secrets/${name}`);

    expect(refusal(removed)).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'REFERENCE', resources: [{ code }] },
    });
  });

  it('is SECRET_MISSING in a promotion to where it is not, until it is set there', async () => {
    const name = newName();
    const code = await newAutomation({
      steps: [{ id: 'each', type: 'forEach', items: '[1]', steps: [call({ 'X-Key': `"{{secret:${name}}}"` })] }],
    });
    const unit = await unitOf('AUTOMATION', code);
    const pid = await admin.created([unit]);

    expect((await admin.conflicting(pid)).conflicts).toMatchObject([
      { type: 'SECRET_MISSING', severity: 'blocking', resourcePid: unit.resourcePid, details: { secret: name } },
    ]);
    await set(name, VALUE, 'staging');
    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
  });
});
