import { ulid } from 'ulid';
import type { Route } from '../../src/foundation/http/route.ts';
import { call, execute, expectRefusal } from '../support/api.ts';
import { save } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { allRoutes, nameOf } from '../support/routes.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

/*
 * Setup: an environment in which everything that has a name is named by a key, with a text for each key. What
 * this proves: no answer has a key in it, but for those that give the configuration itself, or what people
 * have written.
 */
const KEY = /\$i18n:/;
let user: TestUser;
let parent: string;

const keyed = (what: string) => `$i18n:swept.${what}`;
const field = (code: string, more: object = {}) => ({ code, name: keyed(`field_${code}`), type: 'string', ...more });
const NAMES = [
  'model',
  'child',
  'page',
  'view',
  'command',
  'rule',
  'automation',
  'source',
  'assistant',
  'channel',
  'role',
  'input',
  'label',
  'row_rule',
  'param',
  ...['name', 'state', 'parent'].map((code) => `field_${code}`),
];
const messages = Object.fromEntries(NAMES.map((name) => [`swept.${name}`, `Text of ${name}`]));

beforeAll(async () => {
  await startOwnNode('translated');
  const draft = (resourceType: string, code: string, content: object) => ({ resourceType, code, content });
  const crud = { operations: ['CREATE', 'UPDATE', 'DELETE'], event: { type: 'swept.changed' } };
  const drafts = [
    draft('I18N', 'swept.en', { locale: 'en', messages }),
    draft('MODEL', 'swept', {
      name: keyed('model'),
      fields: [field('name'), field('state', { type: 'enum', values: ['on', 'off'] })],
    }),
    draft('MODEL', 'swept_child', {
      name: keyed('child'),
      fields: [field('parent', { type: 'relation', target: 'swept', required: true })],
    }),
    draft('PAGE_SCHEMA', 'swept', {
      name: keyed('page'),
      modelCode: 'swept',
      columns: [{ fieldName: 'name', label: keyed('label') }, 'state'],
    }),
    draft('VIEW', 'swept_all', { name: keyed('view'), pageKey: 'swept', conditions: [] }),
    draft('COMMAND', 'swept:write', {
      name: keyed('command'),
      modelCode: 'swept',
      ...crud,
      rules: [{ assert: 'payload.name != "bad"', message: keyed('rule') }],
    }),
    draft('COMMAND', 'swept:child', { name: keyed('command'), modelCode: 'swept_child', operations: ['CREATE'] }),
    draft('AUTOMATION', 'swept', {
      name: keyed('automation'),
      trigger: { type: 'manual' },
      input: [{ code: 'given', name: keyed('input'), type: 'string' }],
      steps: [{ id: 'tell', type: 'webhook', event: 'told', payload: { at: 'now' } }],
    }),
    draft('DATASOURCE', 'swept', {
      name: keyed('source'),
      kind: 'sql',
      sql: 'select name from mt_swept where name = :wanted',
      params: [{ code: 'wanted', name: keyed('param'), type: 'string' }],
    }),
    draft('ASSISTANT', 'swept', { name: keyed('assistant'), systemPrompt: 'Help.', tools: { list: ['swept'] } }),
    draft('PERMISSION', 'SWEPT', { name: keyed('role'), codes: ['record:read:swept'] }),
  ];
  await save('dev', ...drafts);
  user = await newUser(['PLATFORM_ADMIN'], await newTenant());
  const made = await execute(user.token, 'swept:write', {
    operationType: 'CREATE',
    payload: { name: 'a', state: 'on' },
  });
  parent = made.body.data.pid;
  expect(await execute(user.token, 'swept:child', { payload: { parent } })).toMatchObject({ status: 200 });
});

/** Answers that are the configuration itself, with its keys. */
const CONFIGURATION = [
  /^GET \/api\/meta\/resources/,
  /^GET \/api\/admin\/environments\/:\w+\/(diff|drift)/,
  /^GET \/api\/admin\/promotions/,
];

function pathOf({ path }: Route): string {
  const values: Record<string, string> = {
    pageKey: 'swept',
    commandCode: 'swept:write',
    code: 'swept',
    assistant: 'swept',
    fieldCode: 'state',
    relation: 'children',
    recordId: parent,
    name: 'swept',
    environment: 'dev',
  };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV');
  return `${filled}?datasourceId=swept&wanted=x&pageKey=swept`;
}

describe('every GET', () => {
  it('answers names in the language of the caller', async () => {
    const routes = (await allRoutes()).filter(
      ({ method, path, media }) => method === 'GET' && (media?.json ?? true) && !path.endsWith('/stream'),
    );
    const leaking: string[] = [];
    const succeeded: string[] = [];
    for (const route of routes.filter((one) => !CONFIGURATION.some((pattern) => pattern.test(nameOf(one))))) {
      const { status, body } = await call(pathOf(route), { token: user.token });
      const [found] = /.{0,200}\$i18n:.{0,60}/.exec(JSON.stringify(body)) ?? [];
      if (found !== undefined) leaking.push(`${nameOf(route)}: ${found}`);
      if (status === 200) succeeded.push(nameOf(route));
    }

    expect(leaking).toEqual([]);
    expect(succeeded.length).toBeGreaterThan(35);
  });

  it('does so where the name is', async () => {
    const read = async (path: string) => (await call(path, { token: user.token })).body.data;

    expect(await read('/api/views?pageKey=swept')).toMatchObject([{ name: 'Text of view' }]);
    expect(await read('/api/automations')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'Text of automation',
          input: [expect.objectContaining({ name: 'Text of input' })],
        }),
      ]),
    );
    const { records } = await read('/api/webhooks/event-types');
    const types = new Map(records.map((one: { eventType: string }) => [one.eventType, one]));
    expect(types.get('swept.changed')).toMatchObject({ description: 'Text of command' });
    expect(types.get('automation.swept.told')).toMatchObject({
      description: 'Text of automation',
      modelCode: null,
      sample: { payload: { at: null }, result: { automationCode: 'swept' } },
    });
    expect(await read('/api/admin/roles')).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'SWEPT', name: 'Text of role' })]),
    );
  });
});

describe('a refusal', () => {
  it('names models and rules in the language of the caller, also when its execution is read later', async () => {
    const deleted = await execute(user.token, 'swept:write', {
      operationType: 'DELETE',
      targetRecordId: parent,
      payload: {},
    });
    expectRefusal(deleted, 'CONFLICT', {
      reason: 'REFERENCE',
      references: [{ modelCode: 'swept_child', name: 'Text of child', count: 1, countRelation: 'eq' }],
    });
    expect(deleted.body.message).toBe('Text of child: 1 refer to it');
    const refused = await execute(user.token, 'swept:write', { operationType: 'CREATE', payload: { name: 'bad' } });
    expect(JSON.stringify(refused.body)).toContain('Text of rule');

    for (const answer of [deleted, refused]) {
      const path = `/api/meta/commands/executions/${answer.headers.get('x-execution-pid')}`;
      expect(JSON.stringify((await call(path, { token: user.token })).body.data.error)).not.toMatch(KEY);
    }
    const listed = await call('/api/meta/commands/executions', { token: user.token });
    expect(JSON.stringify(listed.body)).not.toMatch(KEY);
  });

  it('keeps what people have named themselves, whatever it looks like', async () => {
    const name = `$i18n:swept.model ${ulid()}`;
    const body = { name, pageKey: 'swept' };
    expect((await call('/api/views', { token: user.token, body })).body.data).toMatchObject({ name });
  });
});

describe('a subscription to an event of an automation', () => {
  it.each(['automation.swept.told', 'automation.*'])('%s has no warning that nothing emits it', async (eventType) => {
    const body = { name: ulid(), targetUrl: 'https://127.0.0.1:8443/hook', eventType };
    const saved = await call('/api/webhooks', { token: user.token, body });
    expect(saved.body.data).toMatchObject({ eventType, warnings: [] });
  });

  it('that no automation sends has one', async () => {
    const body = { name: ulid(), targetUrl: 'https://127.0.0.1:8443/hook', eventType: 'automation.swept.untold' };
    const saved = await call('/api/webhooks', { token: user.token, body });
    expect(saved.body.data.warnings).toEqual([
      'Nothing in this environment emits automation.swept.untold: nothing will be sent',
    ]);
  });
});
