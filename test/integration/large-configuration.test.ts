import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ulid } from 'ulid';
import { createApplication, type Application } from '../../src/application.ts';
import { EnvironmentsService } from '../../src/features/environments/environments.service.ts';
import { validatePromotion } from '../../src/features/promotions/performing/validate-promotion.ts';
import { PromotionEntity, type Promotion } from '../../src/features/promotions/promotion/promotion.entity.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { runSql } from '../support/platform.ts';

const MODELS = 500;
const PAGES = 4_000;
const COMMANDS = 500;
const RESOURCES = MODELS + PAGES + COMMANDS;
const REFERENCES = 30;
/** Of the program's own work: how long Postgres takes depends on who else is busy. */
const LIMIT_MS = 3_000;
/** What `slowness` takes on a machine that keeps to that limit. */
const REFERENCE_MS = 1_000;

interface Entry {
  readonly environment: string;
  readonly pid: string;
  readonly resource_type: string;
  readonly code: string;
  readonly version: number;
  readonly content: object;
}

const relations = Array.from({ length: REFERENCES }, (_, index) => `r${index}`);
const modelCode = (index: number): string => `m${index % MODELS}`;

function contentOf(index: number, version: number): Omit<Entry, 'environment' | 'pid' | 'version'> {
  const name = `version ${version}`;
  if (index < MODELS) {
    const fields = [
      { code: 'name', name: 'Name', type: 'string', unique: true },
      ...relations.map((code, of) => ({ code, name: code, type: 'relation', target: modelCode(index + of) })),
      ...(version > 1 ? [{ code: 'more', name: 'More', type: 'integer', indexed: true }] : []),
    ];
    return { resource_type: 'MODEL', code: modelCode(index), content: { name, fields } };
  }
  const of = modelCode(index);
  if (index < MODELS + PAGES) {
    const columns = ['name', ...relations.slice(1)];
    return { resource_type: 'PAGE_SCHEMA', code: `p${index}`, content: { name, modelCode: of, columns } };
  }
  return { resource_type: 'COMMAND', code: `t:c${index}`, content: { name, modelCode: of, operations: ['CREATE'] } };
}

/** How many times slower than that the machine is now: the same work is measured. */
function slowness(): number {
  const contents = Array.from({ length: RESOURCES }, (_, index) => contentOf(index, 2));
  const start = process.cpuUsage();
  for (let round = 0; round < 20; round += 1) JSON.parse(JSON.stringify(contents));
  const { user, system } = process.cpuUsage(start);
  const ms = (user + system) / 1_000;
  if (process.env.SHOW_MEASURES) console.log({ referenceMs: ms });
  return Math.max(1, ms / REFERENCE_MS);
}

/** The pool's statements, counted on the wire. */
async function countStatements({ orm }: Application): Promise<() => number> {
  const pool = await orm.em.getConnection().getNativeClient();
  let statements = 0;
  const counted = new WeakSet();
  pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: unknown[]) => {
        statements += 1;
        return query(...args);
      },
    });
  });
  return () => statements;
}

describe(`a configuration of ${RESOURCES} resources with ${REFERENCES} references each`, () => {
  const database = `keelson_large_${ulid().toLowerCase()}`;
  let application: Application;
  let statements: () => number;

  /** Dev has all of them; staging, where it has a resource, has the first version of it, with its table. */
  beforeAll(async () => {
    await runSql(`create database ${database}`);
    const url = new URL(readConfig().databaseUrl);
    url.pathname = `/${database}`;
    application = await createApplication(readConfig({ ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'silent' }));
    const { orm } = application;
    await orm.migrator.up();
    const entries: Entry[] = [];
    for (let index = 0; index < RESOURCES; index += 1) {
      const pid = ulid();
      entries.push({ environment: 'dev', pid, version: 2, ...contentOf(index, 2) });
      if (index % 2 === 0) entries.push({ environment: 'staging', pid, version: 1, ...contentOf(index, 1) });
    }
    const insert = `insert into platform.dsl_resource (environment, pid, resource_type, code, version, content, updated_at)
      select environment, pid, resource_type, code, version, content, now() from jsonb_to_recordset($1::jsonb)
        as r (environment text, pid text, resource_type text, code text, version int, content jsonb)`;
    await sqlRunnerOf(orm.em).query(insert, [JSON.stringify(entries)]);
    const columns = relations.map((code) => `${code} varchar(32)`).join(', ');
    await sqlRunnerOf(orm.em).query(`do $$ begin for i in 0..${MODELS - 1} by 2 loop
      execute format('create table staging.mt_m%s (id bigint, pid varchar(32), tenant_id bigint,
        deleted_at timestamptz, name text, ${columns})', i);
      execute format('create unique index ix_m%s_name_key on staging.mt_m%s (name)', i, i); end loop; end $$`);
    statements = await countStatements(application);
  });
  afterAll(async () => {
    await application.close();
    await runSql(`drop database ${database} with (force)`);
  });

  /** How long it takes, how many statements it sends, and how long it holds the event loop at most. */
  async function measured<T>(work: () => Promise<T>) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const before = statements();
    const start = process.cpuUsage();
    delay.enable();
    const result = await work();
    delay.disable();
    const { user, system } = process.cpuUsage(start);
    const measures = {
      ms: Math.round((user + system) / 1_000),
      statements: statements() - before,
      stallMs: Math.round(delay.max / 1e6),
    };
    if (process.env.SHOW_MEASURES) console.log(measures);
    return { result, ...measures };
  }

  it('is compared with another environment within 3 s, by a constant number of statements', async () => {
    const service = new EnvironmentsService(application.orm, () => Promise.resolve(false));

    const { result, ms, statements: sent } = await measured(() => service.diff('dev', 'staging'));

    expect([result.added.length, result.updated.length, result.removed.length]).toEqual([2500, 2500, 0]);
    expect(result.updated.find(({ code }) => code === 'm0')?.ddl).toContainEqual(
      'alter table "staging"."mt_m0" add column "more" integer',
    );
    expect(sent).toBeLessThan(20);
    expect(ms).toBeLessThan(LIMIT_MS * slowness());
  });

  it.each([
    ['all differences', '*', RESOURCES],
    ['one page, with what it needs', 'p501', MODELS / 2 + 1],
  ])('%s are validated within 3 s, by a constant number of statements', async (_, units, changed) => {
    const { orm, resourceChecks } = application;
    const pid = ulid();
    const page = await sqlRunnerOf(orm.em).query<{ pid: string }>(
      `select pid from platform.dsl_resource where environment = 'dev' and code = $1`,
      [units],
    );
    const request = { userPid: 'u', username: 'u', body: { autoInclude: true } } as never;

    const {
      result,
      ms,
      statements: sent,
    } = await measured(() =>
      orm.em.fork().transactional(async (em): Promise<Promotion> => {
        const promotion = em.create(PromotionEntity, {
          pid,
          sourceEnvId: 1,
          targetEnvId: 2,
          status: 'DRAFT',
          resolutions: [],
          conflicts: [],
          units: units === '*' ? '*' : page.map((one) => ({ resourceType: 'PAGE_SCHEMA', resourcePid: one.pid })),
          createdBy: 'u',
          createdByName: 'u',
        });
        await em.flush();
        await validatePromotion(em, resourceChecks, promotion, request);
        return promotion;
      }),
    );

    await sqlRunnerOf(orm.em).query(`update platform.promotion set status = 'CANCELLED' where pid = $1`, [pid]);
    expect(result.conflicts).toEqual([]);
    const [stored] = await sqlRunnerOf(orm.em).query<{ items: number }>(
      `select json_array_length(plan -> 'items') as items from platform.promotion where pid = $1`,
      [pid],
    );
    expect(stored).toEqual({ items: changed });
    expect(sent).toBeLessThan(40);
    expect(ms).toBeLessThan(LIMIT_MS * slowness());
  });
});
