import type { AutomationContent } from '../../src/features/automations/definition/automation-content.ts';
import { resourceTypes } from '../support/resource-types.ts';

const automation = { resourceType: 'AUTOMATION', code: 'follow_up' };
const problems = (content: object) => {
  const whole = { name: 'Follow up', trigger: { type: 'manual' }, ...content };
  const found = Object.entries(resourceTypes.problemsOfContent('AUTOMATION', 'follow_up', whole));
  return Object.fromEntries(found.map(([path, problem]) => [path, String(problem)]));
};
const ofSteps = (...steps: object[]) => problems({ steps });
const wait = (id: string) => ({ id, type: 'wait', seconds: 1 });
const condition = (id: string, assert: string) => ({ id, type: 'condition', assert });

describe('the content of an automation', () => {
  it('may use every step and every trigger', () => {
    const steps = [
      {
        id: 'leads',
        type: 'query',
        modelCode: 'lead',
        filters: [{ fieldName: 'status', operator: 'eq', value: '"new"' }],
      },
      condition('some', 'steps.leads.total > 0'),
      {
        id: 'each',
        type: 'forEach',
        items: 'steps.leads.records',
        concurrency: 3,
        steps: [
          {
            id: 'update',
            type: 'command',
            commandCode: 'crm:update_lead',
            operationType: 'UPDATE',
            target: 'item.pid',
            payload: { status: '"open"' },
            retry: { maxAttempts: 3, initialSeconds: 1 },
            timeoutSeconds: 30,
            compensation: { commandCode: 'crm:update_lead', target: 'steps.update.pid', payload: { status: '"new"' } },
          },
        ],
      },
      { id: 'which', type: 'branch', cases: [{ if: 'input.fast', steps: [wait('short')] }], else: [wait('long')] },
      { id: 'until', type: 'wait', until: 'string(now + duration("1h"))' },
      {
        id: 'reply',
        type: 'waitForEvent',
        eventType: 'lead.*',
        filter: 'event.payload.name == input.name',
        timeoutSeconds: 60,
      },
      { id: 'ask', type: 'approval', role: 'SALES', message: '"Go on with " + input.name + "?"', fourEyes: true },
      {
        id: 'call',
        type: 'http',
        method: 'POST',
        url: '"https://example.com/x"',
        headers: { 'X-A': '"b"' },
        body: '{"a": 1}',
      },
      { id: 'tell', type: 'webhook', event: 'done', payload: { count: 'steps.leads.total' } },
      {
        id: 'judge',
        type: 'assistant',
        assistant: 'crm',
        prompt: '"Is this urgent? " + input.name',
        retry: { maxAttempts: 2 },
        timeoutSeconds: 120,
      },
    ];
    const input = [
      { code: 'name', name: 'Name', type: 'string' },
      { code: 'fast', name: 'Fast', type: 'boolean' },
    ];
    for (const trigger of [
      { type: 'manual' },
      {
        type: 'event',
        eventType: 'crm:*',
        modelCode: 'lead',
        filter: 'amount > 10',
        input: { name: 'event.payload.name' },
      },
      { type: 'command', commandCode: 'crm:convert_lead', input: { name: 'event.result.lead.name' } },
      { type: 'schedule', cron: '*/5 8-18 * * mon-fri', timezone: 'Europe/Zurich', input: { name: 'string(now)' } },
      { type: 'schedule', everySeconds: 60, tenants: ['1'] },
    ]) {
      expect(problems({ trigger, input, steps, runAs: 'SALES' })).toEqual({});
    }
  });

  it('names unknown keys and missing ones by their paths, however deep they are', () => {
    const inner = { id: 'pause', type: 'wait', seconds: 1, colour: 'red' };
    expect(ofSteps({ id: 'each', type: 'forEach', items: '[1]', steps: [inner] })).toEqual({
      'content.steps.0.steps.0.colour': 'is not a known key',
    });
    expect(ofSteps({ id: 'do', type: 'command' }, { id: 'x', type: 'dance' })).toEqual({
      'content.steps.0.commandCode': 'is required',
      'content.steps.1': expect.stringContaining('type'),
    });
    expect(ofSteps({ id: 'ask', type: 'assistant', tools: {} })).toEqual({
      'content.steps.0.assistant': 'is required',
      'content.steps.0.prompt': 'is required',
      'content.steps.0.tools': 'is not a known key',
    });
    expect(problems({ steps: [wait('a')], trigger: { type: 'event', eventType: 'a*b', colour: 1 } })).toEqual({
      'content.trigger.eventType': expect.stringContaining('must match ^'),
      'content.trigger.colour': 'is not a known key',
    });
  });

  it('has step ids that are unique in all of it', () => {
    expect(ofSteps(wait('a'), { id: 'b', type: 'forEach', items: '[1]', steps: [wait('a')] })).toEqual({
      'content.steps.1.steps.0.id': 'is used by two steps',
    });
  });

  it('reads only what has run: steps before it, those of branches, and those of its own round of a for-each', () => {
    const each = {
      id: 'each',
      type: 'forEach',
      items: '[1]',
      steps: [wait('inner'), condition('ok', 'steps.inner == null')],
    };
    const branch = { id: 'or', type: 'branch', cases: [{ if: 'true', steps: [wait('taken')] }] };
    expect(ofSteps(each, branch, condition('after', 'steps.taken == null && steps.each.count == 1'))).toEqual({});
    expect(ofSteps(each, condition('after', 'steps.inner == null'))).toEqual({
      'content.steps.1.assert': 'inner is not an earlier step',
    });
    expect(ofSteps(condition('first', 'steps.second'), condition('second', 'true'))).toEqual({
      'content.steps.0.assert': 'second is not an earlier step',
    });
    expect(ofSteps(condition('self', 'steps.self'))).toEqual({
      'content.steps.0.assert': 'self is not an earlier step',
    });
  });

  it('has expressions that compile', () => {
    expect(ofSteps(condition('a', 'input. =='), condition('b', 'nobody == 1'))).toEqual({
      'content.steps.0.assert': expect.stringContaining('is not a valid expression'),
      'content.steps.1.assert': expect.stringContaining('nobody'),
    });
    const ask = (prompt: string) => ({ id: 'ask', type: 'assistant', assistant: 'crm', prompt });
    expect(ofSteps(ask('steps.ask.text'))).toEqual({ 'content.steps.0.prompt': 'ask is not an earlier step' });
    expect(ofSteps(ask('Is this urgent?'))).toEqual({
      'content.steps.0.prompt': expect.stringContaining('is not a valid expression'),
    });
  });

  it.each<[object, string]>([
    [{ type: 'schedule' }, 'content.trigger'],
    [{ type: 'schedule', cron: '* * * * *', everySeconds: 5 }, 'content.trigger'],
    [{ type: 'schedule', cron: '61 * * * *' }, 'content.trigger.cron'],
    [{ type: 'schedule', cron: '* * * *' }, 'content.trigger.cron'],
    [{ type: 'schedule', cron: '5-2 * * * *' }, 'content.trigger.cron'],
    [{ type: 'schedule', cron: '*/0 * * * *' }, 'content.trigger.cron'],
    [{ type: 'schedule', cron: '* * * * *', timezone: 'Moon/Base' }, 'content.trigger.timezone'],
    // Temporal knows no offsets.
    [{ type: 'schedule', cron: '* * * * *', timezone: '+08:00' }, 'content.trigger.timezone'],
    [{ type: 'schedule', everySeconds: 5, timezone: 'UTC' }, 'content.trigger.timezone'],
    [{ type: 'event', eventType: 'x', filter: 'a ==' }, 'content.trigger.filter'],
    [{ type: 'event', eventType: 'x', input: { a: '1' } }, 'content.trigger.input.a'],
  ])('refuses the trigger %j', (trigger, path) => {
    expect(problems({ trigger, runAs: 'SALES', steps: [wait('a')] })).toEqual({ [path]: expect.any(String) });
  });

  it('says whose rights the runs of a schedule have', () => {
    expect(problems({ trigger: { type: 'schedule', everySeconds: 5 }, steps: [wait('a')] })).toEqual({
      'content.runAs': expect.stringContaining('is required'),
    });
  });

  it('waits for one thing, and asks somebody', () => {
    expect(ofSteps({ id: 'a', type: 'wait' }, { id: 'b', type: 'wait', seconds: 1, until: 'now' })).toEqual({
      'content.steps.0': 'needs one of seconds and until',
      'content.steps.1': 'needs one of seconds and until',
    });
    expect(ofSteps({ id: 'a', type: 'approval' })).toEqual({ 'content.steps.0': expect.stringContaining('role') });
  });
});

describe('a secret', () => {
  const call = (more: object) => ({ id: 'call', type: 'http', url: '"https://example.com"', ...more });

  it('may be named by the headers of an http step, and by nothing else', () => {
    expect(ofSteps(call({ headers: { 'X-Key': '"Bearer {{secret:KEY}} " + run.pid' } }))).toEqual({});
    const problem = expect.stringContaining('must not name a secret');
    expect(
      ofSteps(
        call({ url: '"https://example.com/{{secret:KEY}}"', body: '"{{secret:KEY}}"' }),
        { id: 'make', type: 'command', commandCode: 'a:b', payload: { headers: '"{{secret:KEY}}"' } },
        { id: 'ask', type: 'assistant', assistant: 'crm', prompt: '"{{secret:KEY}}"' },
      ),
    ).toEqual({
      'content.steps.0.url': problem,
      'content.steps.0.body': problem,
      'content.steps.1.payload.headers': problem,
      'content.steps.2.prompt': problem,
    });
  });

  it('is named as secrets can be called', () => {
    const headers = { A: '"{{secret:key}}"', B: '"{{ secret:KEY }}"', C: '{{secret:KEY}}' };
    expect(ofSteps(call({ headers }))).toEqual({
      'content.steps.0.headers.A': expect.stringContaining('no secret can be called'),
      'content.steps.0.headers.B': 'holds {{ that is not {{secret:NAME}}',
      'content.steps.0.headers.C': expect.stringContaining('is not a valid expression'),
    });
  });

  it('is one of the automation however deep its step is, each once', () => {
    const header = (name: string) => ({ headers: { 'X-Key': `"{{secret:${name}}}"` } });
    const content = {
      name: 'X',
      trigger: { type: 'manual' },
      steps: [
        call(header('B')),
        { id: 'each', type: 'forEach', items: '[]', steps: [call({ id: 'in', ...header('A') })] },
        call({ id: 'again', ...header('B') }),
      ],
    } as AutomationContent;
    expect(resourceTypes.secretsOf({ ...automation, content })).toEqual(['B', 'A']);
  });
});

describe('an automation cannot work without', () => {
  it('the commands, models, fields, assistants and roles that it names', () => {
    const content: AutomationContent = {
      name: 'X',
      trigger: { type: 'event', eventType: 'x', modelCode: 'deal' },
      runAs: 'CLERK',
      steps: [
        {
          id: 'each',
          type: 'forEach',
          items: '[]',
          steps: [
            {
              id: 'q',
              type: 'query',
              modelCode: 'lead',
              filters: [{ fieldName: 'name', operator: 'is_null' }],
              sortField: 'pid',
            },
          ],
        },
        { id: 'c', type: 'command', commandCode: 'crm:a', compensation: { commandCode: 'crm:b' } },
        { id: 'a', type: 'approval', role: 'BOSS' },
        { id: 'b', type: 'approval', role: 'ADMIN' },
        { id: 'j', type: 'assistant', assistant: 'judge', prompt: '"x"' },
      ],
    };

    const named = resourceTypes
      .referencesOf({ ...automation, content })
      .map(({ path, resourceType, code, field = '' }) =>
        [path.replace('content.', ''), resourceType, code, field].join(' ').trim(),
      );

    expect(named).toEqual([
      'runAs PERMISSION CLERK',
      'trigger.modelCode MODEL deal',
      'steps.0.steps.0.modelCode MODEL lead',
      'steps.0.steps.0.filters.0.fieldName MODEL lead name',
      'steps.0.steps.0.sortField MODEL lead pid',
      'steps.1.commandCode COMMAND crm:a',
      'steps.1.compensation.commandCode COMMAND crm:b',
      'steps.2.role PERMISSION BOSS',
      'steps.4.assistant ASSISTANT judge',
    ]);
  });
});
