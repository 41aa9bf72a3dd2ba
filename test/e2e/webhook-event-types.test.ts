import { newModel, newRole, save } from '../support/models.ts';
import { webhooks } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

interface EventType {
  eventType: string;
  description: string;
  modelCode: string | null;
  commandCode: string | null;
  sample: Record<string, unknown>;
}

const typesFor = async (user: TestUser): Promise<Map<string, EventType>> => {
  const { status, body } = await webhooks(user, '/event-types');
  expect(status).toBe(200);
  return new Map(body.data.records.map((type: EventType) => [type.eventType, type]));
};

describe('GET /api/webhooks/event-types', () => {
  it('names command codes, explicit types and the generic ones, with a sample body each', async () => {
    const types = await typesFor(await newUser(['ADMIN'], await newTenant()));

    expect([...types.keys()]).toEqual(
      expect.arrayContaining([
        'crm:create_lead',
        'crm:update_lead',
        'crm:delete_lead',
        'lead.converted',
        'record.created',
        'record.updated',
        'record.deleted',
        'webhook.disabled',
      ]),
    );
    expect(types.has('crm:convert_lead')).toBe(false);
    for (const { sample, description } of types.values()) {
      expect(Object.keys(sample)).toEqual(['commandCode', 'modelCode', 'payload', 'result']);
      expect(description).not.toBe('');
    }
    expect(types.get('crm:create_lead')).toMatchObject({
      modelCode: 'lead',
      commandCode: 'crm:create_lead',
      sample: {
        payload: { name: 'Sample name', status: 'new', email: 'someone@example.com', score: 42 },
        result: { id: '1', pid: expect.any(String), tenant_id: '1', name: 'Sample name', version: 1 },
      },
    });
    expect(types.get('crm:delete_lead')?.sample).toMatchObject({ payload: {}, result: { pid: expect.any(String) } });
    expect(types.get('lead.converted')?.sample).toMatchObject({
      commandCode: 'crm:convert_lead',
      payload: { deal_name: expect.any(String) },
      result: {
        lead: { name: expect.any(String) },
        contact: { email: expect.any(String) },
        deal: { lead: expect.any(String) },
      },
    });
    expect(types.get('record.deleted')?.sample).toMatchObject({ payload: {}, result: { pid: expect.any(String) } });
  });

  it('says how wildcards work', async () => {
    const { body } = await webhooks(await newUser(['ADMIN'], await newTenant()), '/event-types');

    expect(body.data.wildcards).toContain('crm:*');
  });

  it('leaves out what the caller may not read: types of models, and fields of samples', async () => {
    const user = await newUser([await newRole(['webhook:manage', 'record:read:lead'])], await newTenant());

    const types = await typesFor(user);

    expect(types.has('crm:create_lead')).toBe(true);
    expect(types.has('crm:create_deal')).toBe(false);
    expect(types.has('lead.converted')).toBe(false);
    expect(types.get('crm:create_lead')?.sample.payload).not.toHaveProperty('score');
    expect(types.get('record.created')?.sample).toMatchObject({ modelCode: 'lead' });
    expect(types.get('record.created')?.sample.result).not.toHaveProperty('score');
  });

  it('knows a command as soon as it is published, with samples that fit its fields', async () => {
    const model = await newModel({
      fields: [
        { code: 'name', name: 'Name', type: 'string', required: true, maxLength: 4 },
        { code: 'level', name: 'Level', type: 'integer', min: 1, max: 3 },
        { code: 'at', name: 'At', type: 'datetime' },
        { code: 'state', name: 'State', type: 'enum', values: ['on', 'off'] },
      ],
    });
    await save('dev', {
      resourceType: 'COMMAND',
      code: `test:ping_${model.code}`,
      content: {
        name: 'Ping',
        modelCode: model.code,
        operations: ['CUSTOM'],
        event: { type: `${model.code}.pinged` },
        payload: [{ code: 'note', name: 'Note', type: 'text' }],
        steps: [{ id: 'made', operation: 'CREATE', modelCode: model.code, values: { name: '"x"' } }],
      },
    });

    const types = await typesFor(await newUser(['ADMIN'], await newTenant()));

    expect(types.get(model.command)?.sample.payload).toEqual({
      name: 'Samp',
      level: 3,
      at: '2026-01-31T09:30:00.000Z',
      state: 'on',
    });
    expect(types.get(`${model.code}.pinged`)?.sample).toMatchObject({
      payload: { note: 'Sample note' },
      result: { made: { name: 'Samp' } },
    });
  });
});
