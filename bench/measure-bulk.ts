import { setTimeout as sleep } from 'node:timers/promises';
import { createApplication } from '../src/application.ts';
import { readConfig } from '../src/foundation/config/config.ts';
import { UserEntity } from '../src/platform/auth/accounts/user.entity.ts';
import { actorOf } from '../src/platform/auth/requests/actor.ts';
import { logIn } from './api-session.ts';
import { lead, LOGIN, TENANTS } from './bench-data.ts';
import { processAt, processorMs, residentMiB } from './process-memory.ts';
import { requiredUrl } from './settings.ts';

/**
 * Measures work on many records: batches of the record service in one process, an import and an export
 * through HTTP. BENCH_ROWS=10000 shortens it.
 */
const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);
const BATCH = 500;
/** Batches under way at a time: while Postgres writes some, the process prepares others. */
const AT_ONCE = 4;
const TARGETS = { batchCreate: 10_000, import: 3_000 } as const;
const COLUMNS = ['name', 'status', 'email', 'phone', 'amount', 'source', 'owner', 'due_on'];
const [tenant] = TENANTS;

const api = requiredUrl('BENCH_API_URL');
const only = process.env.BENCH_ONLY?.split(',');
const wants = (name: string): boolean => only?.includes(name) ?? true;
const show = (what: string, rows: number, ms: number, rest = ''): void =>
  console.log(`  ${what}: ${Math.round((rows * 1_000) / ms).toLocaleString('en')} rows/s${rest}`);
const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const all = lead(tenant, from + index);
    return Object.fromEntries(COLUMNS.map((code) => [code, all[code]]));
  });

const headers = { Authorization: `Bearer ${await logIn(api)}` };
// While the tenant has 100,000 leads.
if (wants('export')) {
  // The memory of a process that has not worked yet grows whatever it does.
  await exportAll();
  await measureExport();
}
if (wants('batchCreate')) await measureBatchCreate();
if (wants('import')) await measureImport();

async function measureBatchCreate(): Promise<void> {
  const application = await createApplication(readConfig());
  await application.open();
  const { orm, snapshots, recordService } = application;
  const { id: userId, pid: userPid, username } = await orm.em.fork().findOneOrFail(UserEntity, { email: LOGIN.email });
  const identity = { userId, userPid, username, tenantId: tenant.id, roles: ['ADMIN'], keyMadeBy: null };
  const actor = actorOf(identity, await snapshots.current('dev'));
  const items = Array.from({ length: ROWS / BATCH }, (_, index) => rowsOf(index * BATCH, BATCH));
  const create = async (batches: Iterator<(typeof items)[number]>): Promise<void> => {
    for (let next = batches.next(); !next.done; next = batches.next()) {
      await recordService.batchCreate(actor, 'lead', next.value);
    }
  };
  await create(items.slice(0, 10).values());
  for (const atOnce of [1, AT_ONCE]) {
    const batches = items.values();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: atOnce }, () => create(batches)));
    const target = atOnce === 1 ? '' : ` (target ${TARGETS.batchCreate.toLocaleString('en')})`;
    show(`batchCreate in one process, ${atOnce} at a time`, ROWS, performance.now() - startedAt, target);
  }
  await application.close();
}

async function measureImport(): Promise<void> {
  const lines = rowsOf(0, ROWS).map((row) => COLUMNS.map((code) => String(row[code])).join(','));
  const form = new FormData();
  form.set('file', new File([`${COLUMNS.join(',')}\n${lines.join('\n')}\n`], 'leads.csv', { type: 'text/csv' }));
  const file = await answerOf(await fetch(`${api}/api/files`, { method: 'POST', headers, body: form }));
  const program = processAt(api);
  const [startedAt, usedBefore] = [performance.now(), processorMs(program)];
  const accepted = await fetch(`${api}/api/dynamic/leads/imports`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ filePid: file.pid, format: 'csv', commandCode: 'crm:create_lead' }),
  });
  const { importPid } = await answerOf(accepted);
  for (;;) {
    const state = await answerOf(await fetch(`${api}/api/imports/${String(importPid)}`, { headers }));
    if (state.status === 'SUCCEEDED' && state.created === ROWS) break;
    if (state.status !== 'PENDING' && state.status !== 'RUNNING') throw new Error(JSON.stringify(state));
    await sleep(100);
  }
  const used = ((processorMs(program) - usedBefore) * 1_000) / ROWS;
  const rest = ` (target ${TARGETS.import.toLocaleString('en')}), ${used.toFixed(0)} µs of processor each`;
  show(`Import of ${ROWS} rows through HTTP`, ROWS, performance.now() - startedAt, rest);
}

async function measureExport(): Promise<void> {
  const pid = processAt(api);
  const before = residentMiB(pid);
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, residentMiB(pid))), 50);
  const startedAt = performance.now();
  const rows = await exportAll();
  const tookMs = performance.now() - startedAt;
  clearInterval(watching);
  show(`Export of ${rows} rows through HTTP`, rows, tookMs, `, memory grew by ${(most - before).toFixed(0)} MiB`);
}

/** Reads an export as it comes. @returns its rows */
async function exportAll(): Promise<number> {
  const response = await fetch(`${api}/api/dynamic/leads/export?format=csv`, { headers });
  if (!response.ok || !response.body) throw new Error(`the export returned ${response.status}`);
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk as Uint8Array) if (byte === 10) lines += 1;
  return lines - 1;
}

/** The `data` of an answer. */
async function answerOf(response: Response): Promise<Record<string, unknown>> {
  const { code, data } = (await response.json()) as { code: string; data: Record<string, unknown> };
  if (code !== '0') throw new Error(`${response.url} returned ${code}: ${JSON.stringify(data)}`);
  return data;
}
