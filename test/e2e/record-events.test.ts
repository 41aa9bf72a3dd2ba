import { execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { insert, name, newCode, newModel, save, size } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { Receiver } from '../support/receiver.ts';
import { subscribe } from '../support/webhooks.ts';
import { newUser, signedInForEach } from '../support/world.ts';

let receiver: Receiver;

beforeAll(async () => {
  await startOwnNode('recordevents');
  receiver = await Receiver.start();
});
const { tenant, user } = signedInForEach('ADMIN');

interface Heard {
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

/** What has been sent; waits for `count`. */
async function heard(count: number): Promise<Heard[]> {
  await until(`${count} events`, () => receiver.at(tenant.id).length >= count);
  return receiver.at(tenant.id).map(({ headers, body }) => ({
    type: String(headers['x-webhook-event']),
    ...(JSON.parse(body) as Omit<Heard, 'type'>),
  }));
}

describe('record.updated', () => {
  it('comes once for each record of an execution, with the whole record after it', async () => {
    const model = await newModel({ fields: [name, size, { code: 'note', name: 'Note', type: 'text' }] });
    const [pid = '', other = ''] = await insert(tenant, model.code, [
      { name: 'a', size: 1, note: 'kept' },
      { name: 'b', note: 'also kept' },
    ]);
    const command = `test:twice_${newCode()}`;
    const step = (id: string, target: string, values: object) => ({
      id,
      operation: 'UPDATE',
      modelCode: model.code,
      target,
      values,
    });
    const steps = [
      step('first', 'payload.one', { name: '"a2"' }),
      step('second', 'payload.other', { name: '"b2"' }),
      step('third', 'payload.one', { size: '2', name: '"a3"' }),
      { id: 'made', operation: 'CREATE', modelCode: model.code, values: { name: '"made"' } },
      step('changed', 'steps.made.pid', { size: '7' }),
      { id: 'gone', operation: 'CREATE', modelCode: model.code, values: { name: '"gone"' } },
      { id: 'deleted', operation: 'DELETE', modelCode: model.code, target: 'steps.gone.pid' },
    ];
    const payload = ['one', 'other'].map((code) => ({ code, name: code, type: 'string' as const }));
    for (const [suffix, result] of [
      ['_named', { named: 'steps.first' }],
      ['', { done: 'true' }],
    ] as const) {
      await save('dev', {
        resourceType: 'COMMAND',
        code: command + suffix,
        content: { name: command, modelCode: model.code, operations: ['CUSTOM'], payload, steps, result },
      });
    }
    await subscribe(tenant, user, receiver.urlOf(tenant.id), { eventType: 'record.*' });

    for (const suffix of ['', '_named']) {
      const { token } = await newUser(['ADMIN'], tenant);
      receiver.at(tenant.id).length = 0;
      const { body } = await execute(token, command + suffix, { payload: { one: pid, other } });
      expect(body).toMatchObject({ code: '0' });

      const events = (await heard(3)).sort((x, y) => (String(x.result.name) < String(y.result.name) ? -1 : 1));
      expect(events.map(({ type, payload: written, result }) => [type, written, result])).toMatchObject([
        ['record.updated', { name: 'a3', size: 2 }, { pid, name: 'a3', size: 2, note: 'kept', tenant_id: tenant.id }],
        ['record.updated', { name: 'b2' }, { pid: other, name: 'b2', size: null, note: 'also kept' }],
        ['record.created', { name: 'made', size: 7 }, { name: 'made', size: 7, note: null, version: 1 }],
      ]);
    }
  });
});
