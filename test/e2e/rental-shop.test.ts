import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute, dataOf, expectRefusal } from '../support/api.ts';
import { keelson as run } from '../support/cli.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/rental-shop', import.meta.url));

let app: string;
let tenant: TestTenant;
let creator: TestUser;

beforeAll(async () => {
  await startOwnNode('rentalshop');
  app = join(await mkdtemp(join(tmpdir(), 'keelson-rental-')), 'rental-shop');
  await cp(EXAMPLE, app, { recursive: true });
  tenant = await newTenant();
  creator = await newUser(['PLATFORM_ADMIN'], tenant);
});
afterAll(() => rm(join(app, '..'), { recursive: true }));

const keelson = (...args: string[]) => run([...args, '--dir', app], { as: creator });

describe('the rental shop', () => {
  it('has no problems, no warnings, and examples that pass', async () => {
    expect(await keelson('lint')).toMatchObject({ code: 0, out: expect.stringMatching(/ 0 errors, 0 warnings/) });
    expect(await keelson('apply', '--yes')).toMatchObject({ code: 0 });
    expect(await keelson('test')).toMatchObject({ code: 0, out: expect.stringContaining(' 0 failed, 0 skipped') });
  });

  it('fails its examples where an overlap is let through', async () => {
    const file = join(app, 'resources/model/rental.yaml');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace(/ {2}noOverlap:[^]*?(?= {2}checks:)/, ''));
    expect(await keelson('apply', '--yes')).toMatchObject({ code: 0 });
    const tested = await keelson('test');
    expect(tested).toMatchObject({ code: 1, out: expect.stringContaining(' 2 failed') });
    expect(tested.out).toMatch(/FAIL {2}rentals of an item do not overlap/);
    expect(tested.out).toMatch(/FAIL {2}none is booked when one is taken/);
    await writeFile(file, before);
    expect(await keelson('apply', '--yes')).toMatchObject({ code: 0 });
  });

  it('says why a command of a failing example was refused, with its fields', async () => {
    const file = join(app, 'resources/command/rental.cancel.yaml');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace('payload: { cancel_reason: rain }', 'payload: {}'));
    expect((await keelson('test', 'rental:cancel')).out).toMatch(
      /FAIL {2}a clerk cancels with a reason\n[^]*? {10}VALIDATION_ERROR: .*\n {12}cancel_reason: Say why it is cancelled/,
    );
    await writeFile(file, before);
  });

  it('is promoted to staging and works there: no overlap, and a cancellation changes nothing else', async () => {
    const applied = await keelson('apply', '--yes', '--env', 'staging');
    const pid = /[0-9A-Z]{26}/.exec(applied.out)?.[0] ?? '';
    expect(await run(['promotion', 'apply', pid, '--reason', 'a test'], { as: creator })).toMatchObject({ code: 0 });

    const [manager, clerk] = await Promise.all([newUser(['MANAGER'], tenant), newUser(['CLERK'], tenant)]);
    const work = (who: TestUser, command: string, body: object) =>
      execute(who.token, `rental:${command}`, body, { headers: { 'x-environment': 'staging' } });
    const item = dataOf(
      await work(manager, 'save_item', {
        operationType: 'CREATE',
        payload: { code: 'D-1', name: 'Drill', daily_rate: '12.50' },
      }),
    ).pid;
    const customer = dataOf(
      await work(clerk, 'save_customer', { operationType: 'CREATE', payload: { name: 'Ann' } }),
    ).pid;
    const book = (from_date: string, to_date: string) =>
      work(clerk, 'book', { payload: { item, customer, from_date, to_date } });
    const { rental } = dataOf(await book('2026-05-01', '2026-05-04'));
    expect(rental).toMatchObject({ number: expect.stringMatching(/^R-\d{4}-00001$/), price: '12.50', total: '50.00' });
    const twins = await Promise.all([book('2026-06-01', '2026-06-03'), book('2026-06-03', '2026-06-05')]);

    expect(twins.map(({ status }) => status).sort()).toEqual([200, 409]);
    const saw = dataOf(
      await work(manager, 'save_item', {
        operationType: 'CREATE',
        payload: { code: 'S-1', name: 'Saw', daily_rate: '20' },
      }),
    ).pid;
    const several = (from_date: string, to_date: string) =>
      work(clerk, 'book_several', { payload: { customer, from_date, to_date, items: [{ item: saw }, { item }] } });
    expectRefusal(await several('2026-05-04', '2026-05-05'), 'CONFLICT', { reason: 'OVERLAP', path: 'items[1]' });
    expect(dataOf(await several('2026-07-01', '2026-07-01')).rentals).toMatchObject([
      { item: saw, total: '20.00' },
      { item, total: '12.50' },
    ]);
    const refused = await book('2026-05-04', '2026-05-05');
    expect(refused.body).toMatchObject({ message: 'The item is taken on these days', data: { reason: 'OVERLAP' } });
    const cancel = (payload: object) => work(clerk, 'cancel', { targetRecordId: rental.pid, payload });
    expectRefusal(await cancel({ cancel_reason: 'rain', price: '0' }), 'VALIDATION_ERROR', {
      fieldErrors: { price: 'is not a field of this command' },
    });
    expect(dataOf(await cancel({ cancel_reason: 'rain' }))).toMatchObject({ state: 'cancelled', price: '12.50' });
    dataOf(await book('2026-05-04', '2026-05-05'));
  });
});
