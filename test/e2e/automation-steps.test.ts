import { ulid } from 'ulid';
import { call } from '../support/api.ts';
import {
  createLead,
  leadsNamed,
  newAutomation,
  runIs,
  runToEnd,
  startRun,
  stepsOf,
  wait,
} from '../support/automations.ts';
import { insert, newRole } from '../support/models.ts';
import { Receiver } from '../support/receiver.ts';
import { newUser, signedIn } from '../support/world.ts';

const { tenant, user } = signedIn('ADMIN');

describe('the steps of a run', () => {
  it('query records under the rights of the run, and give what they found to later ones', async () => {
    const mark = ulid();
    await insert(tenant, 'lead', [{ name: `${mark} a` }, { name: `${mark} b` }]);
    const code = await newAutomation({
      input: [{ code: 'mark', name: 'Mark', type: 'string' }],
      steps: [
        {
          id: 'found',
          type: 'query',
          modelCode: 'lead',
          sortField: 'name',
          sortOrder: 'asc',
          filters: [{ fieldName: 'name', operator: 'starts_with', value: 'input.mark' }],
        },
        createLead('sum', 'input.mark + " " + string(steps.found.total) + steps.found.records[1].name'),
      ],
    });
    expect(await runToEnd(user.token, code, { mark })).toMatchObject({ status: 'SUCCEEDED' });
    expect(await leadsNamed(user.token, `${mark} 2${mark} b`)).toHaveLength(1);

    const role = await newRole([`automation:run:${code}`]);
    const weak = await newUser([role], tenant);
    expect(await runToEnd(weak.token, code, { mark })).toMatchObject({
      status: 'FAILED',
      error: { code: 'FORBIDDEN', data: { permission: 'record:read:lead', step: 'found' } },
    });
  });

  it('end the run well where a condition does not hold, or fail it where that is wanted', async () => {
    const stops = await newAutomation({
      steps: [{ id: 'never', type: 'condition', assert: '1 > 2' }, wait('after', 1)],
    });
    expect(stepsOf(await runToEnd(user.token, stops))).toEqual(['never SUCCEEDED']);
    const fails = await newAutomation({
      steps: [{ id: 'never', type: 'condition', assert: '1 > 2', otherwise: 'fail', message: 'Too small' }],
    });
    expect(await runToEnd(user.token, fails)).toMatchObject({
      status: 'FAILED',
      error: { code: 'CONFLICT', message: 'Too small', data: { reason: 'CONDITION', step: 'never' } },
    });
  });

  it('take one way at a branch', async () => {
    const code = await newAutomation({
      input: [{ code: 'n', name: 'N', type: 'integer' }],
      steps: [
        {
          id: 'size',
          type: 'branch',
          cases: [
            { if: 'input.n < 10', steps: [wait('small', 0.05)] },
            { if: 'input.n < 100', steps: [wait('middle', 0.05)] },
          ],
          else: [wait('large', 0.05)],
        },
        { id: 'after', type: 'condition', assert: 'steps.middle != null', when: 'input.n > 1' },
      ],
    });
    const ways = async (n: number) => stepsOf(await runToEnd(user.token, code, { n }));
    expect(await ways(1)).toEqual(['size SUCCEEDED', 'small SUCCEEDED', 'after SKIPPED']);
    expect(await ways(50)).toEqual(['size SUCCEEDED', 'middle SUCCEEDED', 'after SUCCEEDED']);
    expect(await ways(500)).toEqual(['size SUCCEEDED', 'large SUCCEEDED', 'after SUCCEEDED']);
  });

  it('go over the items of a list, and within it over those of another', async () => {
    const mark = ulid();
    const code = await newAutomation({
      steps: [
        {
          id: 'rows',
          type: 'forEach',
          items: '["a", "b"]',
          concurrency: 2,
          steps: [
            {
              id: 'cells',
              type: 'forEach',
              items: '[1, 2]',
              steps: [createLead('cell', `"${mark} " + loops.rows.item + string(item) + string(loops.rows.index)`)],
            },
          ],
        },
      ],
    });

    const run = await runToEnd(user.token, code);

    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps.map(({ key }: { key: string }) => key).sort()).toEqual(
      ['rows', 'cells[0]', 'cells[1]', 'cell[0,0]', 'cell[0,1]', 'cell[1,0]', 'cell[1,1]'].sort(),
    );
    const made = await Promise.all(['a10', 'a20', 'b11', 'b21'].map((end) => leadsNamed(user.token, `${mark} ${end}`)));
    expect(made.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });

  it('go over no items of a list that was not given', async () => {
    const code = await newAutomation({
      input: [{ code: 'numbers', name: 'Numbers', type: 'json' }],
      steps: [
        {
          id: 'each',
          type: 'forEach',
          items: 'input.numbers',
          steps: [{ id: 'even', type: 'condition', assert: 'true' }],
        },
      ],
    });

    const run = await runToEnd(user.token, code);

    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ key: 'each', output: { count: 0, items: [] } }] });
  });

  it('call addresses through the guarded client', async () => {
    const receiver = await Receiver.start();
    receiver.answer = (_request, index) =>
      index === 0 ? { status: 503 } : { body: '{"score": 7}', headers: { 'content-type': 'application/json' } };
    const code = await newAutomation({
      steps: [
        {
          id: 'score',
          type: 'http',
          url: `"${receiver.url}"`,
          body: '{"who": run.startedBy}',
          headers: { 'X-Test': '"a" + "b"' },
          retry: { maxAttempts: 2, initialSeconds: 0.1 },
        },
        {
          id: 'is_right',
          type: 'condition',
          assert: 'steps.score.body.score == 7 && steps.score.statusCode == 200',
          otherwise: 'fail',
        },
      ],
    });

    const { body, headers } = await startRun(user.token, code);
    const run = await runIs(user.token, body.data.runPid, ['SUCCEEDED']);

    expect(stepsOf(run)).toEqual(['score SUCCEEDED', 'is_right SUCCEEDED']);
    expect(run.steps[0].attempt).toBe(2);
    expect(receiver.received.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify({ who: user.email })));
    expect(receiver.received[1]?.headers).toMatchObject({
      'x-test': 'ab',
      'content-type': 'application/json',
      'idempotency-key': `${run.runPid}:score:0`,
      traceparent: expect.stringMatching(new RegExp(`^00-${headers.get('x-trace-id')}-[0-9a-f]{16}-01$`)),
    });
    const inner = await newAutomation({ steps: [{ id: 'in', type: 'http', url: '"http://169.254.169.254/"' }] });
    expect(await runToEnd(user.token, inner)).toMatchObject({
      status: 'FAILED',
      error: { code: 'SERVICE_UNAVAILABLE', data: { errorClass: 'blocked' } },
    });
  });

  it('fail the run with the error of a command, its code and data', async () => {
    const code = await newAutomation({ steps: [createLead('bad', '"" + ""')] });
    expect(await runToEnd(user.token, code)).toMatchObject({
      status: 'FAILED',
      error: { code: 'VALIDATION_ERROR', data: { fieldErrors: { name: expect.any(String) }, step: 'bad' } },
      steps: [{ id: 'bad', status: 'FAILED', error: { code: 'VALIDATION_ERROR' } }],
    });
  });

  it('may fail where that is allowed', async () => {
    const code = await newAutomation({
      steps: [createLead('bad', '"" + ""', { onError: 'continue' }), wait('after', 0.05)],
    });
    const run = await runToEnd(user.token, code);
    expect([run.status, ...stepsOf(run)]).toEqual(['SUCCEEDED', 'bad FAILED', 'after SUCCEEDED']);
  });

  it('are tried again as often as they say', async () => {
    const receiver = await Receiver.start();
    receiver.answer = () => ({ status: 500 });
    const retry = { maxAttempts: 3, initialSeconds: 0.1 };
    const code = await newAutomation({ steps: [{ id: 'call', type: 'http', url: `"${receiver.url}"`, retry }] });
    const run = await runToEnd(user.token, code);
    expect(run).toMatchObject({ status: 'FAILED', error: { data: { statusCode: 500 } } });
    expect(receiver.received).toHaveLength(3);
  });
});

describe('a run of many items', () => {
  it('comes to its end, and is shown in pages', async () => {
    const code = await newAutomation({
      input: [{ code: 'numbers', name: 'Numbers', type: 'json' }],
      steps: [
        {
          id: 'each',
          type: 'forEach',
          items: 'input.numbers',
          concurrency: 20,
          steps: [{ id: 'even', type: 'condition', assert: 'item < 600' }],
        },
        createLead('after', `"${ulid()}"`),
      ],
    });
    const numbers = Array.from({ length: 1_200 }, (_, number) => number);

    const run = await runToEnd(user.token, code, { numbers });

    expect(run).toMatchObject({ status: 'SUCCEEDED', stepCount: 1_202 });
    expect(run.steps).toHaveLength(500);
    const steps = (query: string) => call(`/api/automations/runs/${run.runPid}/steps?${query}`, { token: user.token });
    expect((await steps('pageNum=13&pageSize=100')).body.data).toMatchObject({
      total: 1_202,
      pageNum: 13,
      pageSize: 100,
      records: [{ key: 'even[1199]', iteration: [1199], output: { holds: false } }, { key: 'after' }],
    });
    expect((await steps('status=FAILED')).body.data).toMatchObject({ total: 0, records: [] });
    const stranger = await newUser([await newRole(['automation:run:another'])], tenant);
    expect(await call(`/api/automations/runs/${run.runPid}/steps`, { token: stranger.token })).toMatchObject({
      status: 403,
    });
  });
});
