import { ulid } from 'ulid';
import { insertExecutions } from '../../src/features/commands/executions/execution-store.ts';
import { lockEnvironment } from '../../src/platform/metadata/changes/resources.service.ts';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, list } from '../support/api.ts';
import { act, newAutomation, runIs, startRun } from '../support/automations.ts';
import { saidBy, say } from '../support/chat.ts';
import { newPid } from '../../src/foundation/database/pid.ts';
import { insertEvents } from '../../src/platform/events/outbox/outbox.ts';
import { newExecution } from '../support/executions.ts';
import { executionRow, until } from '../support/faults.ts';
import { newKey } from '../support/keys.ts';
import { insert, modelDraft, name, newCode, newModel, newRole, roleDraft, save } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { startOwnNode } from '../support/own-node.ts';
import { resourceIn } from '../support/promotions.ts';
import { subscribe } from '../support/webhooks.ts';
import { container, newUser, signedInForEach } from '../support/world.ts';

/* A node of the file's own: on a shared one the changes of others bring every rename to it at once. */
beforeAll(() => startOwnNode('renames'));
const { tenant, user } = signedInForEach('ADMIN');

const SUBJECT: FieldContent = { code: 'subject', name: 'Subject', type: 'string' };
const TITLE: FieldContent = { ...SUBJECT, code: 'title', renamedFrom: 'subject' };
const HIDDEN = { readPermission: true, writePermission: true };
const titles = async (token: string, code: string) => {
  const { records } = dataOf(await list(token, code)) as { records: { title?: string }[] };
  return records.map(({ title }) => title ?? null);
};

describe('the rights to a field that gets another code', () => {
  const rename = (code: string) => save('dev', modelDraft(code, { fields: [name, { ...TITLE, ...HIDDEN }] }));

  it('stay with roles, which get a version that names the new code', async () => {
    const { code, permissions } = await newModel({ fields: [name, { ...SUBJECT, ...HIDDEN }] });
    const role = await newRole([...permissions, `field:read:${code}.subject`]);
    const reader = await newUser([role], tenant);
    await insert(tenant, code, [{ subject: 'seen' }]);

    await rename(code);

    expect(await titles(reader.token, code)).toEqual(['seen']);
    expect(await resourceIn('dev', 'PERMISSION', role)).toMatchObject({
      version: 2,
      content: { codes: [...permissions, `field:read:${code}.title`] },
    });
    // Files may still have the old code.
    await save('dev', roleDraft(role, [...permissions, `field:read:${code}.subject`]));
    expect(await titles(reader.token, code)).toEqual(['seen']);
  });

  it('stay with keys, beside the old scopes: other environments may have the old field', async () => {
    const { code, permissions } = await newModel({ fields: [name, { ...SUBJECT, ...HIDDEN }] });
    const { key, accountPid } = await newKey(user, [...permissions, `field:read:${code}.subject`]);
    await insert(tenant, code, [{ subject: 'seen' }]);
    expect((await list(key, code)).status).toBe(200);

    await rename(code);

    expect(await titles(key, code)).toEqual(['seen']);
    const account = dataOf(await call(`/api/admin/service-accounts/${accountPid}`, { token: user.token }));
    expect(account.keys[0].scopes.filter((scope: string) => scope.startsWith('field:')).sort()).toEqual([
      `field:read:${code}.subject`,
      `field:read:${code}.title`,
    ]);
  });

  it('let the same callers past a row rule', async () => {
    const unless = (field: string) => (code: string) => `field:read:${code}.${field}`;
    const rule = (code: string, of: (code: string) => string) => ({
      rowRules: [
        { name: 'None', unless: of(code), conditions: [{ fieldName: 'name', operator: 'eq', value: 'nobody' }] },
      ],
    });
    const { code, permissions } = await newModel({ fields: [name, { ...SUBJECT, ...HIDDEN }] });
    await save(
      'dev',
      modelDraft(code, { fields: [name, { ...SUBJECT, ...HIDDEN }], ...rule(code, unless('subject')) }),
    );
    const role = await newRole([...permissions, `field:read:${code}.subject`]);
    const reader = await newUser([role], tenant);
    await insert(tenant, code, [{ subject: 'seen' }]);

    await save('dev', modelDraft(code, { fields: [name, { ...TITLE, ...HIDDEN }], ...rule(code, unless('subject')) }));

    expect(await titles(reader.token, code)).toEqual(['seen']);
    expect((await resourceIn('dev', 'MODEL', code))?.content).toMatchObject(rule(code, unless('title')));
  });
});

describe('work that was accepted before a field got another code', () => {
  const rename = (code: string, ...others: ResourceDraft[]) =>
    save('dev', modelDraft(code, { fields: [name, TITLE] }), ...others);

  it('is performed under the new code: a command that no node had begun', async () => {
    const { code, command } = await newModel({ fields: [name, SUBJECT] });
    const { database } = await container();
    const execution = await newExecution(tenant, user, { commandCode: command, payload: { subject: 'kept' } });
    await rename(code);

    await insertExecutions(database, [execution]);

    await until('it is performed', async () => (await executionRow(execution.pid)).status === 'SUCCEEDED');
    expect(await titles(user.token, code)).toEqual(['kept']);
  });

  it('is performed under the new code: what an assistant has proposed', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT] });
    const assistant = newCode();
    const command = 'test:propose';
    const content = { name: assistant, systemPrompt: 'p', provider: 'builtin', tools: { commands: [command] } };
    await save(
      'dev',
      { resourceType: 'COMMAND', code: command, content: { name: 'Create', modelCode: code, operations: ['CREATE'] } },
      { resourceType: 'ASSISTANT', code: assistant, content },
    );
    const said = `run ${command} {"subject": "kept"}`;
    const watched = await say(user.token, said, { assistant });
    const [confirm] = await watched.get(1, 'confirm');
    await rename(code);

    const path = `/api/ai/conversations/${watched.events[0]?.data.conversationId as string}/confirm`;
    const body = { confirmationId: confirm?.data.confirmationId, confirmed: true };
    dataOf(await call(path, { token: user.token, body }));

    await watched.over();
    expect([await titles(user.token, code), saidBy(watched)]).toEqual([['kept'], expect.any(String)]);
  });

  it('is done under the new code: steps of a run that has begun with an older version', async () => {
    const { code, command } = await newModel({ fields: [name, SUBJECT] });
    await insert(tenant, code, [{ name: 'n', subject: 'first' }]);
    const stepsWith = (field: string) => {
      const query = (id: string) => ({
        id,
        type: 'query',
        modelCode: code,
        filters: [{ fieldName: field, operator: 'is_not_null' }],
        sortField: field,
      });
      const write = {
        id: 'write',
        type: 'command',
        commandCode: command,
        operationType: 'CREATE',
        payload: { [field]: `steps.before.records[0].${field} + ' ' + steps.after.records[0].${field}` },
      };
      return [query('before'), { id: 'ask', type: 'approval', role: 'ADMIN' }, query('after'), write];
    };
    const automation = await newAutomation({ steps: stepsWith('subject') });
    const { runPid } = dataOf({ ...(await startRun(user.token, automation)), status: 200 });
    await runIs(user.token, runPid, ['WAITING']);
    const next = { name: automation, trigger: { type: 'manual' }, steps: stepsWith('title') };
    await rename(code, { resourceType: 'AUTOMATION', code: automation, content: next });

    dataOf(await act(user.token, runPid, 'approve', { approved: true }));

    const run = await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']);
    expect(run).toMatchObject({ status: 'SUCCEEDED', error: null });
    expect((await titles(user.token, code)).sort()).toEqual(['first', 'first first']);
  });
});

describe('an event from before a field got another code', () => {
  const written = async (code: string): Promise<void> => {
    const { database } = await container();
    await insertEvents(database, [
      {
        pid: ulid(),
        environment: 'dev',
        tenantId: tenant.id,
        eventType: `test:${code}`,
        commandCode: `test:${code}`,
        modelCode: code,
        recordPid: ulid(),
        body: JSON.stringify({
          commandCode: `test:${code}`,
          modelCode: code,
          payload: { subject: 'kept' },
          result: { pid: ulid(), subject: 'kept', name: 'n' },
        }),
        traceId: newPid(),
      },
    ]);
  };
  const bodiesOf = async (subscriptionPid: string) => {
    const found = await runSql<{ body: string }>(
      `select coalesce(d.body, e.body) as body from platform.webhook_delivery d join platform.event e on e.pid = d.event_pid
       where d.subscription_pid = $1`,
      [subscriptionPid],
    );
    return found.map(({ body }) => JSON.parse(body) as { payload: object; result: object });
  };

  it('passes the filters of webhooks and tells of the new code; one that hides it hides both', async () => {
    const { code, permissions } = await newModel({ fields: [name, SUBJECT] });
    const url = 'http://127.0.0.1:1/';
    const eventType = `test:${code}`;
    const filterExpression = 'subject == "kept" && result.subject == "kept"';
    const filtered = await subscribe(tenant, user, url, { eventType, modelCode: code, filterExpression });
    const blind = await newRole([...permissions, 'webhook:manage']);
    const partial = await subscribe(tenant, user, url, { eventType, roles: [blind] });
    await save('dev', modelDraft(code, { fields: [name, { ...TITLE, readPermission: true }] }));

    await written(code);

    const [told] = await until('it is matched', async () => {
      const bodies = await bodiesOf(filtered);
      return bodies.length > 0 ? bodies : null;
    });
    expect(told).toMatchObject({ payload: { title: 'kept' }, result: { title: 'kept', name: 'n' } });
    expect(JSON.stringify(told)).not.toContain('subject');
    const [cut] = await bodiesOf(partial);
    expect([cut?.payload, Object.keys(cut?.result ?? {})]).toEqual([{}, ['pid', 'name']]);
  });

  it('triggers an automation, and ends the waiting of a step of before', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT] });
    const eventType = `test:${code}`;
    const waits = {
      id: 'wait',
      type: 'waitForEvent',
      eventType,
      filter: 'event.result.subject == "kept"',
    };
    const waiting = await newAutomation({ steps: [waits] });
    const { runPid } = dataOf({ ...(await startRun(user.token, waiting)), status: 200 });
    await runIs(user.token, runPid, ['WAITING']);
    const triggered = newCode();
    const trigger = { type: 'event', eventType, filter: 'title == "kept"' };
    const steps = [{ id: 'nap', type: 'wait', seconds: 1 }];
    await save('dev', modelDraft(code, { fields: [name, TITLE] }), {
      resourceType: 'AUTOMATION',
      code: triggered,
      content: { name: triggered, runAs: 'ADMIN', trigger, steps },
    });

    await written(code);

    await runIs(user.token, runPid, ['SUCCEEDED']);
    await until('the automation has begun', async () => {
      const runs = await runSql(`select pid from platform.automation_run where automation_code = $1`, [triggered]);
      return runs.length === 1;
    });
  });
});

describe('a request that began with the configuration of before a rename', () => {
  /** Commits a rename of which no node has heard yet. */
  async function renameSilently(code: string): Promise<void> {
    // The node has the configuration of before.
    expect((await list(user.token, code)).status).toBe(200);
    const { orm, resources } = await container();
    await orm.em.fork().transactional(async (em) => {
      const draft = modelDraft(code, { fields: [name, TITLE] });
      await resources.saveIn(em, await lockEnvironment(em, 'dev'), [draft], null);
    });
  }

  it('is a read of the new one', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT] });
    await insert(tenant, code, [{ subject: 'a' }]);
    await renameSilently(code);

    const answer = await list(user.token, code);

    expect(dataOf(answer).records).toMatchObject([{ title: 'a' }]);
  });

  it('is a write to the new one', async () => {
    const { code, command } = await newModel({ fields: [name, SUBJECT] });
    await renameSilently(code);

    const answer = await execute(user.token, command, { operationType: 'CREATE', payload: { subject: 'a' } });

    expect(dataOf(answer)).toMatchObject({ title: 'a' });
  });
});
