import { call, execute, expectRefusal, dataOf, refusal } from '../support/api.ts';
import { runToEnd } from '../support/automations.ts';
import { command, model } from '../support/drafts.ts';
import { newCode } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { platformAdmin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

// Its expressions keep a core busy: other tests must not wait for it, nor its liveness for them.
let own: OwnProgram;
beforeAll(async () => {
  own = await startOwnProgram('expressions');
});
afterAll(() => own.stop());
const admin = platformAdmin();

const save = (payload: unknown) => execute(admin.user.token, 'meta:save', { payload });

describe('an expression that would never end', () => {
  const json = { code: 'j', name: 'J', type: 'json' };
  const name = { code: 'name', name: 'Name', type: 'string' };
  const j = Array.from({ length: 10_000 }, (_, index) => index);
  const endless = 'payload.j.all(x, payload.j.exists_one(y, y == x))';
  const where = { line: 1, column: expect.any(Number), maxSteps: 250_000 };

  it.each(['workflow', 'inline'])(
    'fails a command of kind %s with EXPRESSION_LIMIT, and the node stays alive',
    async (execution) => {
      const code = newCode();
      dataOf(await save(model(code, json)));
      dataOf(await save(command(code, code, { execution, rules: [{ assert: endless, message: 'No' }] })));
      const { token } = await newUser(['ADMIN'], admin.tenant);
      const body = { payload: { j }, operationType: 'CREATE' };
      let open = true;

      const answers = Promise.all(Array.from({ length: 10 }, () => execute(token, `t:${code}`, body)));
      let served = 0;
      const asking = (async () => {
        while (open) {
          expect(await call('/actuator/health/liveness')).toMatchObject({ status: 200 });
          served += 1;
        }
      })();

      for (const answer of await answers) {
        expectRefusal(answer, 'EXPRESSION_LIMIT', { path: 'rules.0.assert', ...where });
      }
      open = false;
      await asking;
      // Others have their turns between the rules, however fast the machine is.
      expect(served).toBeGreaterThanOrEqual(10);
    },
  );

  it('fails the step of an automation', async () => {
    const code = newCode();
    const { token } = await newUser(['ADMIN'], admin.tenant);
    const steps = [{ id: 'check', type: 'condition', assert: endless.replaceAll('payload', 'input') }];
    dataOf(
      await save({
        resourceType: 'AUTOMATION',
        code,
        content: { name: code, trigger: { type: 'manual' }, input: [json, name], steps },
      }),
    );

    expect(await runToEnd(token, code, { j })).toMatchObject({
      status: 'FAILED',
      error: { code: 'EXPRESSION_LIMIT', data: { step: 'check', path: 'check.assert', ...where } },
    });
  });
});

describe('a value in the place of an expression', () => {
  it('is answered with the expression that was meant', async () => {
    const code = newCode();
    const fields = ['name', 'size', 'open'].map((each) => ({ code: each, name: each, type: 'string' }));
    dataOf(await save(model(code, ...fields)));
    const values = { name: 'won', size: 5, open: true };
    const steps = [{ id: 'one', operation: 'CREATE', modelCode: code, values }];

    const { status, data } = refusal(await save(command(code, code, { operations: ['CUSTOM'], steps })));

    const at = 'content.steps.0.values.';
    expect({ status, data }).toEqual({
      status: 400,
      data: {
        fieldErrors: {
          [`${at}size`]: "write it as an expression: '5'",
          [`${at}open`]: "write it as an expression: 'true'",
        },
      },
    });
    const text = command(code, code, { operations: ['CUSTOM'], steps: [{ ...steps[0], values: { name: 'won' } }] });
    expect(refusal(await save(text)).data).toEqual({
      fieldErrors: { [`${at}name`]: expect.stringContaining(`(a text is written '"won"'`) },
    });
  });
});

describe('the values that expressions read', () => {
  const fields = [
    { code: 'name', name: 'Name', type: 'string' },
    { code: 'amount', name: 'Amount', type: 'decimal' },
    { code: 'big', name: 'Big', type: 'bigint' },
    { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'], default: 'open' },
  ];
  const must = (assert: string) => ({ assert, message: assert });

  it('are decimals with decimals, defaults where nothing was given, and null where nothing is', async () => {
    const code = newCode();
    dataOf(await save(model(code, ...fields)));
    const created = [
      must('payload.amount > 1000 && payload.amount == 1200.5 && payload.big == 9007199254740993'),
      must('payload.state == "open" && payload.name == null && !(payload.name > "a")'),
    ];
    const updated = [
      must('payload.amount > record.amount && record.amount + 1 == 1201.5 && record.big > 9007199254740992'),
      must('!has(payload.state) && payload.state == null && record.name == null'),
    ];
    const steps = [
      { id: 'half', operation: 'CREATE', modelCode: code, values: { amount: 'record.amount / 2', big: 'record.big' } },
    ];
    const result = {
      ok: 'steps.half.amount == 600.25',
      amount: 'steps.half.amount * 2',
      id: 'record.id',
      all: 'record',
    };
    const of = (name: string, content: object) => command(`${code}_${name}`, code, content);
    dataOf(await save(of('create', { rules: created })));
    dataOf(await save(of('update', { operations: ['UPDATE'], rules: updated })));
    dataOf(await save(of('halve', { operations: ['CUSTOM'], target: true, steps, result })));
    const { token } = await newUser(['ADMIN'], admin.tenant);
    const run = (name: string, body: object) => execute(token, `t:${code}_${name}`, body);

    const record = dataOf(await run('create', { payload: { amount: '1200.50', big: '9007199254740993' } }));
    expect(dataOf(await run('halve', { targetRecordId: record.pid }))).toEqual({
      ok: true,
      amount: '1200.50',
      id: record.id,
      all: record,
    });
    expect(dataOf(await run('update', { targetRecordId: record.pid, payload: { amount: 1300 } }))).toMatchObject({
      amount: '1300',
      big: '9007199254740993',
      state: 'open',
    });
    expect(refusal(await run('create', { payload: { amount: 900 } }))).toMatchObject({ status: 409 });
  });

  it('are the same in an automation', async () => {
    const code = newCode();
    dataOf(await save(model(code, ...fields)));
    dataOf(await save(command(code, code)));
    const { token } = await newUser(['ADMIN'], admin.tenant);
    dataOf(await execute(token, `t:${code}`, { payload: { amount: '1200.50' } }));
    const check = (id: string, assert: string) => ({
      id,
      type: 'condition',
      assert,
      otherwise: 'fail',
      message: assert,
    });
    const steps = [
      check('given', 'input.least > 1000 && input.none == null && !(input.none > 1)'),
      { id: 'found', type: 'query', modelCode: code },
      check('list', 'steps.found.records.all(r, r.amount > input.least) && steps.found.records[5].amount == null'),
      {
        id: 'each',
        type: 'forEach',
        items: 'steps.found.records',
        steps: [
          check('item', 'item.amount == 1200.5 && loops.each.item.amount + 0.5 == 1201'),
          { id: 'made', type: 'command', commandCode: `t:${code}`, payload: { amount: 'item.amount * 2' } },
          check('written', 'steps.made.amount == 2401 && steps.made.big == null && steps.made.big.more == null'),
        ],
      },
    ];
    const input = [
      { code: 'least', name: 'Least', type: 'decimal' },
      { code: 'none', name: 'None', type: 'integer' },
    ];
    const content = { name: code, trigger: { type: 'manual' }, input, steps };
    dataOf(await save({ resourceType: 'AUTOMATION', code, content }));

    expect(await runToEnd(token, code, { least: '1000.01' })).toMatchObject({ status: 'SUCCEEDED', error: null });
  });
});

describe('types that are wrong when an expression is saved', () => {
  const fields = [
    { code: 'name', name: 'Name', type: 'string' },
    { code: 'status', name: 'Status', type: 'enum', values: ['open', 'done'] },
    { code: 'size', name: 'Size', type: 'integer', max: 10 },
  ];
  const at = (problem: string) => expect.stringMatching(new RegExp(`line 1, column \\d+: ${problem}`));

  it('are errors of rules, steps and results of a command', async () => {
    const code = newCode();
    dataOf(await save(model(code, ...fields)));
    const content = {
      operations: ['CUSTOM'],
      target: true,
      rules: [
        { assert: 'record.asignee == null', message: 'No' },
        { assert: 'record.status == "opn"', message: 'No' },
        { assert: 'record.status == "open"', message: 'No' },
      ],
      steps: [
        {
          id: 'one',
          operation: 'CREATE',
          modelCode: code,
          values: { name: 'actor.roles', status: '"opn"', size: '11' },
        },
        { id: 'two', operation: 'CREATE', modelCode: code, values: { name: 'steps.one.nme', size: 'record.size' } },
      ],
      result: { one: 'steps.one.wat', two: 'steps.two.status' },
    };

    const { status, data } = refusal(await save(command(code, code, content)));

    const of = `COMMAND/t:${code} content.`;
    expect({ status, data }).toEqual({
      status: 400,
      data: {
        fieldErrors: {
          [`${of}rules.0.assert`]: at('No such key: asignee'),
          [`${of}rules.1.assert`]: at('"opn" is not one of open, done'),
          [`${of}steps.0.values.name`]: at('No such key: roles'),
          [`${of}steps.0.values.status`]: 'must be one of open, done; did you mean open?',
          [`${of}steps.0.values.size`]: 'must not be greater than 10',
          [`${of}steps.1.values.name`]: at('No such key: nme'),
          [`${of}result.one`]: at('No such key: wat'),
        },
      },
    });
  });

  it('are errors of an automation', async () => {
    const code = newCode();
    dataOf(await save(model(code, ...fields)));
    const steps = [
      { id: 'found', type: 'query', modelCode: code },
      {
        id: 'ask',
        type: 'approval',
        role: 'ADMIN',
        message: 'steps.found.records[0].nme',
        when: 'input.lead == actor.roles',
      },
      { id: 'end', type: 'condition', assert: 'steps.ask.wat || steps.found.records[0].status == "opn"' },
      { id: 'last', type: 'condition', assert: 'steps.ask.approved && steps.found.total > 0' },
    ];
    const input = [{ code: 'lead', name: 'Lead', type: 'string' }];

    const answer = refusal(
      await save({
        resourceType: 'AUTOMATION',
        code,
        content: { name: code, trigger: { type: 'manual' }, input, steps },
      }),
    );

    const of = `AUTOMATION/${code} content.steps.`;
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.data).toEqual({
      fieldErrors: {
        [`${of}1.message`]: at('No such key: nme'),
        [`${of}1.when`]: at('No such key: roles'),
        [`${of}2.assert`]: at('No such key: wat'),
      },
    });
  });

  it('are errors of the events that an automation hears, and of what it gives to commands', async () => {
    const code = newCode();
    const payload = [{ code: 'note', name: 'Note', type: 'string' }];
    const one = { id: 'one', operation: 'CREATE', modelCode: code, values: { name: 'payload.note' } };
    dataOf(await save(model(code, ...fields)));
    dataOf(await save(command(code, code)));
    dataOf(await save(command(`${code}_note`, code, { operations: ['CUSTOM'], payload, steps: [one] })));
    const input = [{ code: 'x', name: 'X', type: 'string' }];
    const saved = async (trigger: object, steps: object[] = [{ id: 'w', type: 'wait', seconds: 1 }]) => {
      const content = { name: code, trigger, input, steps };
      const { status, body } = await save({ resourceType: 'AUTOMATION', code, content });
      return status === 200 ? null : (body.data.fieldErrors as Record<string, string>);
    };
    const of = `AUTOMATION/${code} content.`;
    const created = { type: 'command', commandCode: `t:${code}` };
    const wrong = [
      {
        id: 'made',
        type: 'command',
        commandCode: `t:${code}`,
        payload: { status: '"opn"', sise: '5', name: 'input.x' },
      },
      {
        id: 'heard',
        type: 'waitForEvent',
        eventType: `t:${code}_note`,
        filter: 'event.payload.note == steps.made.nme || event.payload.name == ""',
      },
      { id: 'end', type: 'condition', assert: 'steps.heard.event.result.one.nme == "" || steps.made.size > 5' },
    ];

    expect(await saved({ ...created, filter: 'statsu == "open"', input: { x: 'event.payload.nme' } })).toEqual({
      [`${of}trigger.filter`]: at('Unknown variable: statsu'),
      [`${of}trigger.input.x`]: at('No such key: nme'),
    });
    expect(await saved({ ...created, filter: 'status == "opn"' })).toEqual({
      [`${of}trigger.filter`]: at('"opn" is not one of open, done'),
    });
    expect(
      await saved({ ...created, filter: 'size > 5 && name > 3 && result.version == null && payload.name == ""' }),
    ).toBeNull();
    const event = { type: 'event', eventType: `t:${code}*`, filter: 'name == "a" || size > 5' };
    expect(await saved(event)).toBeNull();
    expect(await saved({ ...event, filter: 'nme == "a"' })).toEqual({
      [`${of}trigger.filter`]: at('Unknown variable: nme'),
    });
    expect(await saved({ ...event, eventType: '*', filter: 'whatever == 1' })).toBeNull();
    expect(await saved({ type: 'manual' }, wrong)).toEqual({
      [`${of}steps.0.payload.status`]: 'must be one of open, done; did you mean open?',
      [`${of}steps.0.payload.sise`]: `is not a field of this command; did you mean size?`,
      [`${of}steps.1.filter`]: at('No such key: nme'),
      [`${of}steps.2.assert`]: at('No such key: nme'),
    });
  });

  it('block a model that takes a field away which an expression reads', async () => {
    const code = newCode();
    dataOf(await save(model(code, ...fields)));
    dataOf(await save(command(code, code, { rules: [{ assert: 'payload.size == 1', message: 'No' }] })));

    expect(refusal(await save(model(code, ...fields.slice(0, 2))))).toMatchObject({
      status: 400,
      data: { fieldErrors: { [`COMMAND/t:${code} content.rules.0.assert`]: at('No such key: size') } },
    });
  });
});
