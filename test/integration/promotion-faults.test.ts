import { setTimeout as sleep } from 'node:timers/promises';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { until } from '../support/faults.ts';
import { changeModel, save, name } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { freePort, startProgram, type Program } from '../support/program.ts';
import { actionsOn, newAdmin, newUnits, renamePage, type Admin, type PromotedModel } from '../support/promotions.ts';
import { expectRefusal, dataOf } from '../support/api.ts';

/*
 * Setup: an API node and a worker, each in a process of its own, on a database of their own. Each promotion
 * moves a model (six columns with indexes), its page and its command from version 1 to 2. Timeline: an apply
 * is asked for; at a random moment of it the worker, the API or both are killed with -9, or Postgres cuts
 * every connection. What was killed starts again. What this proves: the target is all old or all new at any
 * moment; the apply is written down once; whoever asks again learns that it is done, or has it done.
 *
 * `npm run faults -- promotions 50` runs it with 50 moments.
 */

const MOMENTS = Number(process.env.PROMOTION_FAULTS ?? 5);
const NODES = { api: { KEELSON_ROLES: 'api' }, worker: { KEELSON_ROLES: 'worker' } } as const;
const VICTIMS: (keyof typeof NODES)[][] = [['worker'], ['api'], ['worker', 'api']];

const MORE = Array.from({ length: 6 }, (_, n): FieldContent => ({
  code: `f${n}`,
  name: 'F',
  type: 'string',
  unique: true,
  indexed: true,
}));

const nodes = new Map<keyof typeof NODES, Program>();
const settings = { api: {} as Record<string, string>, worker: {} as Record<string, string> };
let own: OwnProgram;
let admin: Admin;
/** How long an apply takes when nobody disturbs it. */
let usualMs = 0;

beforeAll(async () => {
  own = await startOwnProgram('faults', NODES.api);
  settings.api = own.settings;
  settings.worker = { ...NODES.worker, PORT: String(await freePort()) };
  nodes.set('api', own.program);
  nodes.set('worker', await startProgram(settings.worker));
  admin = await newAdmin();
  // The first apply warms everything up; the second is measured.
  for (let round = 0; round < 2; round += 1) {
    const { pid } = await changed();
    const asked = performance.now();
    dataOf(await admin.apply(pid));
    usualMs = performance.now() - asked;
  }
});
afterAll(async () => {
  await Promise.all([...nodes.values()].map(async (node) => node.stop('SIGKILL')));
  await own.stop();
});

interface Case {
  readonly model: PromotedModel;
  readonly pid: string;
}

/** A validated promotion that changes everything about a model. */
async function changed(): Promise<Case> {
  const model = await newUnits([name]);
  await admin.promote(model.units);
  await changeModel(model, { fields: [name, ...MORE] });
  await renamePage(model.code, 'new', 'dev', ['name', ...MORE.map(({ code }) => code)]);
  const operations = ['CREATE' as const];
  await save('dev', {
    resourceType: 'COMMAND',
    code: model.command,
    content: { name: 'new', modelCode: model.code, operations },
  });
  return { model, pid: await admin.validated(model.units) };
}

/**
 * What the target has, in one look: resources, columns, the promotion's own row, its entries in the trail.
 */
async function stateOf({ model, pid }: Case): Promise<string> {
  const [row] = await runSql<{ versions: string; columns: number; status: string; applies: number }>(
    `select (select string_agg(version::text, '' order by code) from platform.dsl_resource
             where environment = 'staging' and pid in ($1, $2, $3)) as versions,
            (select count(*)::int from pg_attribute where attrelid = $4::regclass and attname ~ '^f[0-9]') as columns,
            (select status from platform.promotion where pid = $5) as status,
            (select count(*)::int from platform.audit_entry where target_pid = $6 and action = 'promotion.apply') as applies`,
    [...model.units.map(({ resourcePid }) => resourcePid), `staging.mt_${model.code}`, pid, pid],
  );
  return JSON.stringify(row);
}
const OLD = JSON.stringify({ versions: '111', columns: 0, status: 'VALIDATED', applies: 0 });
const NEW = JSON.stringify({ versions: '222', columns: 6, status: 'APPLIED', applies: 1 });

/**
 * Asks again, as a person would who got no answer, until the promotion is applied; looks at the target all
 * the while.
 */
async function expectApplied(one: Case): Promise<void> {
  const state = async () => {
    const seen = await stateOf(one);
    expect([OLD, NEW]).toContain(seen);
    return seen;
  };
  await until('the promotion is applied', async () => {
    if ((await state()) === NEW) return true;
    await admin.apply(one.pid).catch(() => null);
    return false;
  });
  // A connection that was cut while it was idle is only noticed by the request that takes it: that one
  // answers 503.
  const answer = await until('an answer', async () => {
    const refused = await admin.apply(one.pid);
    return refused.status === 503 ? undefined : refused;
  });
  expectRefusal(answer, 'PROMOTION_STATE');
  expect(await stateOf(one)).toBe(NEW);
  const actions = await actionsOn(one.pid);
  expect(actions).toEqual(['promotion.create', 'promotion.validate', 'promotion.apply']);
}

async function expectChainIntact(): Promise<void> {
  expect(dataOf(await admin.get('/admin/audit/verify'))).toMatchObject({ ok: true });
}

describe('kill -9 during an apply', () => {
  it(
    `of the worker, the API or both, at ${MOMENTS} random moments: all old or all new, applied once`,
    async () => {
      const cases: Case[] = [];
      const seen = { old: 0, new: 0 };
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const victims = VICTIMS[moment % VICTIMS.length] ?? [];
        const one = await until('a promotion is ready', () => changed());
        const asked = admin.apply(one.pid).catch(() => null);
        await sleep(Math.random() * usualMs * 1.2);
        await Promise.all(victims.map(async (victim) => nodes.get(victim)?.stop('SIGKILL')));
        const state = await stateOf(one);
        expect([OLD, NEW]).toContain(state);
        seen[state === NEW ? 'new' : 'old'] += 1;
        for (const victim of victims) nodes.set(victim, await startProgram(settings[victim]));
        void asked;
        cases.push(one);
      }
      for (const one of cases) await expectApplied(one);
      await expectChainIntact();
      console.log(`${MOMENTS} kills within ${Math.round(usualMs * 1.2)} ms: then ${seen.old} old, ${seen.new} new`);
    },
    60_000 + MOMENTS * 60_000,
  );
});

describe('Postgres cutting every connection during an apply', () => {
  it(
    'leaves the target all old or all new; the apply is done once, by itself or when it is asked for again',
    async () => {
      for (let moment = 0; moment < Math.min(MOMENTS, 25); moment += 1) {
        const one = await until('a promotion is ready', () => changed());
        const asked = admin.apply(one.pid).catch(() => null);
        await sleep(Math.random() * usualMs);
        await runSql(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        ).catch(() => null);
        await asked;
        await until('Postgres answers', () => stateOf(one));
        await expectApplied(one);
      }
      await expectChainIntact();
    },
    60_000 + MOMENTS * 60_000,
  );
});
