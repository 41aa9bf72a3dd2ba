import { call, execute, list, expectRefusal } from '../support/api.ts';
import { replyTo, saidBy, say } from '../support/chat.ts';
import { until } from '../support/faults.ts';
import { insert, newRole } from '../support/models.ts';
import { watch } from '../support/streams.ts';
import { container, newTenant, newUser, signedInForEach } from '../support/world.ts';

const { tenant, user } = signedInForEach('SALES');

async function createLeads(...leads: Record<string, unknown>[]): Promise<void> {
  const { token } = await newUser(['ADMIN'], tenant);
  for (const payload of leads) await execute(token, 'crm:create_lead', { payload });
}

describe('POST /api/ai/{assistant}/chat/stream', () => {
  it('begins a conversation and streams its answer', async () => {
    await createLeads({ name: 'Ada', status: 'open' }, { name: 'Bob', status: 'won' }, { name: 'Eve', status: 'open' });

    const watched = await say(user.token, 'How many open leads are there?');

    await watched.over();
    expect(watched.status).toBe(200);
    expect(watched.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const [first] = watched.events;
    const conversationId = first?.data.conversationId as string;
    expect(first).toMatchObject({ event: 'conversation', data: { conversationId: expect.any(String) } });
    const text = saidBy(watched);
    expect(text).toContain('There are 2 leads (status open).');
    expect(text).toContain('built-in assistant');
    expect(watched.named('message.delta').length).toBeGreaterThan(1);
    expect(watched.events.at(-1)).toMatchObject({ event: 'message.completed', data: { conversationId, text } });
    expect(watched.named('tool')).toMatchObject([
      { data: { name: 'list_records', ok: true, total: 2, arguments: { model: 'lead', limit: 0 } } },
    ]);
  });

  it('answers in Chinese what is asked in Chinese', async () => {
    await createLeads({ name: 'Ada', status: 'open' }, { name: 'Bob', status: 'won' });

    const { text } = await replyTo(user.token, '有多少 open 的 lead？');

    expect(text).toContain('共有 1 条 Lead 记录 (status open)。');
    expect(text).toContain('内置助手');
  });

  it('goes on with a conversation; the stream has the new answer alone', async () => {
    await createLeads({ name: 'Ada', amount: '10' });
    const { conversationId } = await replyTo(user.token, 'how many leads');

    const { watched, text } = await replyTo(user.token, 'show lead Ada', { conversationId });

    expect(watched.named('conversation')).toHaveLength(1);
    expect(watched.named('message.completed')).toHaveLength(1);
    expect(text).toContain('Name: Ada');
    expect(text).toContain('Amount: 10');
    const { body } = await call(`/api/ai/conversations/${conversationId}`, { token: user.token });
    expect(body.data.messages).toMatchObject([
      { role: 'user', text: 'how many leads' },
      {
        role: 'assistant',
        status: 'COMPLETED',
        text: expect.stringContaining('There is 1 lead.'),
        tools: ['list_records'],
      },
      { role: 'user', text: 'show lead Ada' },
      { role: 'assistant', status: 'COMPLETED', text, tools: ['list_records', 'read_record'] },
    ]);
  });

  it('counts as a list does', async () => {
    await createLeads(
      { name: 'a', amount: '5' },
      { name: 'b', amount: '50' },
      { name: 'c' },
      { name: 'd', status: 'open' },
    );
    const questions: [string, unknown[]][] = [
      ['how many leads where amount > 10', [{ fieldName: 'amount', operator: 'gt', value: 10 }]],
      ['count leads where amount is_null', [{ fieldName: 'amount', operator: 'is_null' }]],
      ['how many new leads', [{ fieldName: 'status', operator: 'eq', value: 'new' }]],
      ['统计 lead', []],
    ];
    const either = [
      {
        or: [
          { fieldName: 'name', operator: 'eq', value: 'a' },
          { fieldName: 'amount', operator: 'gt', value: 9 },
        ],
      },
    ];
    questions.push([`how many leads where ${JSON.stringify(either)}`, either]);
    for (const [question, filters] of questions) {
      const { body } = await list(user.token, 'leads', { filters });
      const { text } = await replyTo(user.token, question);
      expect([question, /(?:There (?:is|are)|共有) (\d+)/.exec(text)?.[1]]).toEqual([
        question,
        String(body.data.total),
      ]);
    }
  });

  it('lists the newest ten records, with the number of all', async () => {
    await createLeads(...Array.from({ length: 12 }, (_, n) => ({ name: `Lead ${n}`, amount: String(n) })));

    const { text } = await replyTo(user.token, 'list leads where amount > 0');

    expect(text).toContain('10 of 11 leads (amount > 0):');
    expect(text).toContain('Name: Lead 11');
    expect(text).not.toContain('Name: Lead 1,');
  });

  it('says which conditions a list refuses', async () => {
    const { text } = await replyTo(user.token, 'list leads where colour = red');
    expect(text).toContain('- colour: is not a field of lead');
  });

  it('says honestly that it does not understand, with its forms and how to get more', async () => {
    const { text } = await replyTo(user.token, 'how many open leads in Berlin');
    expect(text).toContain('I did not understand');
    expect(text).toContain('- how many ');
    expect(text).toContain('AI_BASE_URL');
  });

  it.each<[string, unknown, string]>([
    ['no message', {}, 'message'],
    ['an empty message', { message: ' ' }, 'message'],
    ['a message of 8,001 characters', { message: 'x'.repeat(8_001) }, 'message'],
    ['an id that is none', { message: 'x', conversationId: 'a/b' }, 'conversationId'],
    ['an unknown key', { message: 'x', model: 'y' }, 'model'],
  ])('refuses %s', async (_what, body, name) => {
    expectRefusal(await call('/api/ai/crm/chat/stream', { token: user.token, body }), 'VALIDATION_ERROR', {
      fieldErrors: { [name]: expect.any(String) },
    });
  });

  it('needs assistant:use:<code>, and the assistant', async () => {
    const nobody = await newUser([await newRole(['record:read:lead'])], tenant);
    const body = { message: 'hello' };
    expect(await call('/api/ai/crm/chat/stream', { body })).toMatchObject({ status: 401 });
    expectRefusal(await call('/api/ai/crm/chat/stream', { token: nobody.token, body }), 'FORBIDDEN', {
      permission: 'assistant:use:crm',
    });
    const admin = await newUser(['ADMIN'], tenant);
    expect(await call('/api/ai/none/chat/stream', { token: admin.token, body })).toMatchObject({ status: 404 });
  });
});

describe('GET /api/ai/{assistant}/chat/stream?conversationId=', () => {
  it('gives the newest answer again, and what follows an event with Last-Event-ID', async () => {
    await createLeads({ name: 'Ada' });
    const { conversationId } = await replyTo(user.token, 'hello');
    const { watched: said } = await replyTo(user.token, 'how many leads', { conversationId });
    const path = `/api/ai/crm/chat/stream?conversationId=${conversationId}`;

    const again = await watch(path, { token: user.token });
    await again.over();
    expect(again.events).toEqual(said.events);

    const rest = await watch(path, { token: user.token, lastEventId: said.events[1]?.id ?? null });
    await rest.over();
    expect(rest.events).toEqual(said.events.slice(2));
  });

  it('has the answer from the stored conversation where its stream has expired', async () => {
    const { conversationId, text } = await replyTo(user.token, 'hello');
    const { store } = await container();
    await store.pipeline([['del', `keelson:stream:conversation:${conversationId}`]]);

    const again = await watch(`/api/ai/crm/chat/stream?conversationId=${conversationId}`, { token: user.token });

    await again.over();
    expect(again.events).toMatchObject([
      { event: 'conversation', data: { conversationId } },
      { event: 'message.completed', data: { conversationId, text } },
    ]);
  });

  it("is the owner's alone", async () => {
    const { conversationId } = await replyTo(user.token, 'hello');
    const other = await newUser(['SALES'], tenant);
    const path = `/api/ai/crm/chat/stream?conversationId=${conversationId}`;
    expectRefusal(await call(path, { token: other.token }), 'NOT_FOUND');
    expect(await call('/api/ai/crm/chat/stream', { token: user.token })).toMatchObject({ status: 400 });
    for (const method of ['GET', 'DELETE']) {
      const at = `/api/ai/conversations/${conversationId}`;
      expect(await call(at, { token: other.token, method })).toMatchObject({ status: 404 });
    }
  });
});

describe('/api/ai/conversations', () => {
  it('lists, newest first, and deletes for good', async () => {
    const { conversationId: first } = await replyTo(user.token, 'hello');
    const { conversationId: second } = await replyTo(user.token, 'which models exist');

    const { body } = await call('/api/ai/conversations', { token: user.token });
    expect(body.data).toMatchObject({
      records: [
        { conversationId: second, assistant: 'crm', title: 'which models exist' },
        { conversationId: first, title: 'hello' },
      ],
      total: 2,
    });

    expect(await call(`/api/ai/conversations/${first}`, { token: user.token, method: 'DELETE' })).toMatchObject({
      status: 200,
    });
    expect(await call(`/api/ai/conversations/${first}`, { token: user.token })).toMatchObject({ status: 404 });
    const after = await call('/api/ai/conversations', { token: user.token });
    expect(after.body.data.total).toBe(1);
  });
});

describe('a tool of the assistant', () => {
  it("finds what its caller may find, and nothing of another tenant's", async () => {
    await createLeads({ name: 'Ada', score: 7 });
    const viewer = await newUser(['VIEWER'], tenant);
    const foreign = await newUser(['SALES'], await newTenant());

    expect((await replyTo(user.token, 'show lead Ada')).text).toContain('Score: 7');
    const seen = (await replyTo(viewer.token, 'show lead Ada')).text;
    expect(seen).toContain('Name: Ada');
    expect(seen).not.toContain('Score');
    const refused = (await replyTo(viewer.token, 'how many leads where score > 5')).text;
    expect(refused).toContain('That was refused');
    expect(refused).toContain('(field:read:lead.score)');
    expect((await replyTo(foreign.token, 'how many leads')).text).toContain('There are 0 leads.');
  });

  it('knows only the models that its caller may read', async () => {
    const role = await newRole(['assistant:use:crm', 'record:read:task']);
    const narrow = await newUser([role], tenant);
    const { text } = await replyTo(narrow.token, 'which models exist');
    expect(text).toContain('Task (task)');
    expect(text).not.toContain('lead');
  });
});

describe('a command of the assistant', () => {
  const confirmed = (conversationId: string, confirmationId: string, isConfirmed: boolean, token = user.token) =>
    call(`/api/ai/conversations/${conversationId}/confirm`, {
      token,
      body: { confirmationId, confirmed: isConfirmed },
    });

  async function proposed() {
    const watched = await say(user.token, 'run crm:create_lead {"name": "Grace Hopper", "amount": "12"}');
    const [confirm] = await watched.get(1, 'confirm');
    return { watched, confirm: confirm?.data, conversationId: watched.events[0]?.data.conversationId as string };
  }
  const leads = async (): Promise<number> => (await list(user.token, 'leads')).body.data.total as number;

  it('runs once when its user has confirmed it', async () => {
    const { watched, confirm, conversationId } = await proposed();
    expect(confirm).toMatchObject({
      confirmationId: expect.any(String),
      commandCode: 'crm:create_lead',
      payload: { name: 'Grace Hopper', amount: '12' },
      summary: expect.stringContaining('Grace Hopper'),
    });
    expect(await leads()).toBe(0);

    const { confirmationId } = confirm;
    expect(await confirmed(conversationId, confirmationId, true)).toMatchObject({
      status: 200,
      body: { data: { confirmationId, status: 'CONFIRMED' } },
    });
    expect(await confirmed(conversationId, confirmationId, true)).toMatchObject({ status: 200 });

    await watched.over();
    expect(saidBy(watched)).toContain('Done: ');
    const { body } = await list(user.token, 'leads');
    expect(body.data.records).toMatchObject([{ name: 'Grace Hopper', amount: '12', created_by: user.pid }]);
    expectRefusal(await confirmed(conversationId, confirmationId, false), 'CONFLICT', { reason: 'STATE' });
  });

  it('is confirmed by the names of the records that it is about, beside their pids', async () => {
    const [account] = await insert(tenant, 'account', [{ name: 'Acme' }]);
    const [lead] = await insert(tenant, 'lead', [{ name: 'Ada' }]);

    const watched = await say(user.token, `run crm:update_lead ${String(lead)} {"account": "${String(account)}"}`);
    const [confirm] = await watched.get(1, 'confirm');

    expect(confirm?.data.summary).toContain(`on "Ada" (${String(lead)})`);
    expect(confirm?.data.summary).toContain(`account: "Acme" ("${String(account)}")`);
    await confirmed(watched.events[0]?.data.conversationId as string, confirm?.data.confirmationId as string, true);
    await watched.over();
    expect((await replyTo(user.token, 'show lead Ada')).text).toContain('- Account: Acme');
    const narrow = await newUser([await newRole(['assistant:use:crm', 'record:read:lead'])], tenant);
    expect((await replyTo(narrow.token, 'show lead Ada')).text).toContain(`- Account: ${String(account)}`);
  });

  it('does not run when its user declines, nor on the word of somebody else', async () => {
    const { watched, confirm, conversationId } = await proposed();
    const other = await newUser(['ADMIN'], tenant);
    expect(await confirmed(conversationId, confirm.confirmationId, true, other.token)).toMatchObject({ status: 404 });

    await confirmed(conversationId, confirm.confirmationId, false);

    await watched.over();
    expect(saidBy(watched)).toContain('I have not done it');
    expect(await leads()).toBe(0);
  });

  it('is not offered to a caller who may not execute it', async () => {
    const viewer = await newUser(['VIEWER'], tenant);
    const { watched, text } = await replyTo(viewer.token, 'run crm:create_lead {"name": "Grace Hopper"}');
    expect(watched.named('confirm')).toEqual([]);
    expect(text).toContain('(command:execute:crm:create_lead)');
    expect(await leads()).toBe(0);
  });

  it('holds its conversation up: 409 IN_PROGRESS until it is decided or stopped', async () => {
    const { watched, confirm, conversationId } = await proposed();
    expectRefusal(
      await call('/api/ai/crm/chat/stream', { token: user.token, body: { message: 'hello', conversationId } }),
      'CONFLICT',
      { reason: 'IN_PROGRESS', confirmationId: confirm.confirmationId },
    );

    expect(
      await call(`/api/ai/conversations/${conversationId}/stop`, { token: user.token, method: 'POST' }),
    ).toMatchObject({ status: 200 });

    await watched.over();
    expect(watched.events.at(-1)).toMatchObject({ event: 'message.completed', data: { stopped: true } });
    await until('it goes on', async () =>
      (await replyTo(user.token, 'hello', { conversationId })).text.includes('Hello'),
    );
    expect(await leads()).toBe(0);
  });
});
