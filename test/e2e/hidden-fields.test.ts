import { execute, dataOf, refusal } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save as publish, type TestModel } from '../support/models.ts';
import { newAdmin, unitOf, type Admin } from '../support/promotions.ts';
import { newUser, type TestUser } from '../support/world.ts';

let admin: Admin;
/** A model with the protected field `score`, and one with a field of the same name that all may read. */
let lead: TestModel;
let game: TestModel;
/** May execute everything, and may not read the score of leads. */
let blind: TestUser;
let sighted: TestUser;

const text = (code: string) => ({ code, name: code, type: 'string' as const });
const score = { code: 'score', name: 'Score', type: 'integer' as const };

beforeAll(async () => {
  admin = await newAdmin();
  lead = await newModel({ fields: [text('name'), text('note'), { ...score, readPermission: true }] });
  game = await newModel({ fields: [text('name'), score, { code: 'data', name: 'Data', type: 'json' }] });
  const codes = ['command:execute:*', ...lead.permissions, ...game.permissions];
  blind = await newUser([await newRole(codes)], admin.tenant);
  sighted = await newUser([await newRole([...codes, `field:read:${lead.code}.score`])], admin.tenant);
});

/** A CUSTOM command on a lead that writes a game. */
async function custom(content: object, code = `test:${newCode()}`): Promise<string> {
  const steps = [{ id: 'game', operation: 'CREATE', modelCode: game.code, values: { name: '"won"', score: '3' } }];
  const whole = { name: code, modelCode: lead.code, operations: ['CUSTOM'], target: true, steps, ...content };
  await publish('dev', { resourceType: 'COMMAND', code, content: whole });
  return code;
}

const onLead = async (command: string, { token }: TestUser, payload: object = {}) => {
  const [pid] = await insert(admin.tenant, lead.code, [{ name: 'Ada', score: 97 }]);
  return execute(token, command, { operationType: 'CUSTOM', targetRecordId: pid, payload });
};

describe('POST /api/meta/commands/execute/{commandCode}: a result', () => {
  it('leaves out what comes from a field that the caller may not read, whatever its name is', async () => {
    const command = await custom({
      result: {
        lead: 'record',
        s: 'record.score',
        band: 'record.score > 50 ? "hot" : "cold"',
        all: '{"name": record.name, "points": [record.score]}',
        has: 'record.name != ""',
      },
    });

    const cut = dataOf(await onLead(command, blind));
    const whole = dataOf(await onLead(command, sighted));

    expect(cut).toEqual({
      lead: expect.not.objectContaining({ score: expect.anything() }),
      all: { name: 'Ada' },
      has: true,
    });
    expect(cut.lead.name).toBe('Ada');
    expect(whole).toMatchObject({ lead: { score: 97 }, s: 97, band: 'hot', all: { points: [97] } });
  });

  it('shows a field of the same name in another model, and keys of that name in a json field', async () => {
    const payload = { name: 'G', score: 5, data: { score: 6, deep: [{ score: 7 }] } };

    const plain = await execute(blind.token, game.command, { operationType: 'CREATE', payload });
    const ofSteps = await onLead(await custom({ result: { game: 'steps.game', lead: 'record' } }), blind);

    expect(dataOf(plain)).toMatchObject(payload);
    expect(dataOf(ofSteps).game).toMatchObject({ name: 'won', score: 3 });
    expect(dataOf(ofSteps).lead).not.toHaveProperty('score');
  });

  it('shows the fields that the command reveals', async () => {
    const command = await custom({ result: { s: 'record.score', lead: 'record' }, reveals: [`${lead.code}.score`] });

    expect(dataOf(await onLead(command, blind))).toMatchObject({ s: 97, lead: { score: 97 } });
  });

  it('may depend on a hidden field by a rule, whose message is its author’s and whose errors quote no value', async () => {
    const rules = [{ assert: 'record.score < 50', message: 'Not this one' }];
    const broken = [{ assert: 'bool(string(record.score))', message: 'No' }];

    expect(refusal(await onLead(await custom({ rules }), blind))).toMatchObject({
      status: 409,
      data: { reason: 'STATE' },
    });
    const { status, body } = await onLead(await custom({ rules: broken }), blind);
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(body)).not.toMatch(/\b97\b/);
  });
});

describe('a command that lets a hidden field out', () => {
  it('is saved with warnings, and cannot reveal a field that does not exist', async () => {
    const code = `test:${newCode()}`;
    const steps = [
      {
        id: 'one',
        operation: 'UPDATE',
        modelCode: lead.code,
        target: 'record.pid',
        values: { note: 'string(record.score)' },
      },
    ];
    const content = { name: code, modelCode: lead.code, operations: ['CUSTOM'], target: true, steps };
    const saved = (more: object) =>
      execute(admin.user.token, 'meta:save', {
        payload: { resourceType: 'COMMAND', code, content: { ...content, ...more } },
      });

    expect(dataOf(await saved({ result: { s: 'record.score', ok: 'true' } })).warnings).toEqual([
      {
        path: 'content.steps.0.values.note',
        message: `copies ${lead.code}.score into ${lead.code}.note, which anyone may read`,
      },
      {
        path: 'content.result.s',
        message: `is left out for callers without field:read:${lead.code}.score, unless reveals names it`,
      },
    ]);
    expect(
      dataOf(await saved({ result: { s: 'record.score' }, reveals: [`${lead.code}.score`] })).warnings,
    ).toHaveLength(1);
    expect(refusal(await saved({ reveals: [`${lead.code}.absent`] }))).toMatchObject({
      status: 400,
      data: { fieldErrors: { [`COMMAND/${code} content.reveals.0`]: `is not a field of ${lead.code}` } },
    });
  });

  it('is pointed out in a promotion for the fields that its answer newly shows', async () => {
    const code = await custom({ result: { s: 'record.score' }, reveals: [`${lead.code}.score`] });
    const units = await Promise.all([unitOf('COMMAND', code), unitOf('MODEL', lead.code), unitOf('MODEL', game.code)]);
    const pid = await admin.created(units);

    expect(dataOf(await admin.validate(pid))).toMatchObject({
      status: 'VALIDATED',
      conflicts: [{ type: 'FIELD_REVEALED', severity: 'warning', code, details: { fields: [`${lead.code}.score`] } }],
    });
    dataOf(await admin.apply(pid));

    await custom(
      { result: { s: 'record.score', n: 'record.name' }, reveals: [`${lead.code}.score`, `${lead.code}.note`] },
      code,
    );
    const next = await admin.created([await unitOf('COMMAND', code)]);
    expect(dataOf(await admin.validate(next)).conflicts).toMatchObject([
      { type: 'FIELD_REVEALED', details: { fields: [`${lead.code}.note`] } },
    ]);
  });
});
