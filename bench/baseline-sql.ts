import { createServer } from 'node:http';
import pg from 'pg';
import { parseTimestamp } from '../src/foundation/database/result-types.ts';
import { TENANTS } from './bench-data.ts';

/**
 * Baseline of reads: `node:http` and `pg` with hand-written, named statements. No log-in, metadata,
 * permissions, row-level security or trace, and exactly the same JSON as the service's.
 */
const [tenant] = TENANTS;
const DATE_OID = 1082;
const TIMESTAMPTZ_OID = 1184;
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE ?? 10),
  options: '-c timezone=UTC',
  types: {
    getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
      if (oid === TIMESTAMPTZ_OID) return parseTimestamp;
      if (oid === DATE_OID) return (text: string) => text;
      return pg.types.getTypeParser(oid, format) as unknown;
    }) as typeof pg.types.getTypeParser,
  },
});

const COLUMNS = `id, pid, tenant_id, created_at, created_by, updated_at, updated_by, version,
  name, status, email, phone, amount, score, source, owner, account, notes, due_on`;
const NEW_LEADS = 'from dev.mt_lead where tenant_id = $1 and deleted_at is null and status = $2';
const NEWEST_TEN = 'order by created_at desc, id desc limit 10';

const rows = async (name: string, text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await pool.query({ name, text, values })).rows;

const page = () => rows('page', `select ${COLUMNS} ${NEW_LEADS} ${NEWEST_TEN}`, tenant.id, 'new');
const count = () => rows('count', `select count(*)::int as total ${NEW_LEADS}`, tenant.id, 'new');

/** Runs the page and its total concurrently, on two connections. */
async function pageAndCount(page: Promise<object[]>, count: Promise<Record<string, unknown>[]>): Promise<object> {
  const [records, [counted]] = await Promise.all([page, count]);
  return { records, total: counted?.total, pageNum: 1, pageSize: 10 };
}

const routes: Record<string, (argument: string) => Promise<unknown>> = {
  ready: async () => null,
  list: async () => ({ records: await page(), total: null, pageNum: 1, pageSize: 10 }),
  'list-total': () => pageAndCount(page(), count()),
  'list-first-total': (since) => {
    const where = `${NEW_LEADS} and created_at >= $3`;
    return pageAndCount(
      rows('page-since', `select ${COLUMNS} ${where} ${NEWEST_TEN}`, tenant.id, 'new', since),
      rows('count-since', `select count(*)::int as total ${where}`, tenant.id, 'new', since),
    );
  },
  detail: async (pid) => {
    const where = 'tenant_id = $1 and deleted_at is null and pid = $2';
    return (await rows('detail', `select ${COLUMNS} from dev.mt_lead where ${where}`, tenant.id, pid))[0];
  },
};

const server = createServer((request, response) => {
  const [, name, argument = ''] = (request.url ?? '').split('/');
  const route = routes[name || 'ready'];
  const send = (status: number, body: object): void => {
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': length });
    response.end(text);
  };
  if (!route) return send(404, { code: 'NOT_FOUND', message: 'no such route', data: null });
  route(argument).then(
    (data) => send(200, { code: '0', message: 'ok', data }),
    (error: unknown) => {
      console.error(error);
      send(500, { code: 'INTERNAL_ERROR', message: 'see the log', data: null });
    },
  );
});
server.listen(Number(process.env.PORT), '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeAllConnections();
});
