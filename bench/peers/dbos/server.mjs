// POST / with DBOS: one workflow with one transaction (lead, change log, outbox), answered when it has
// ended. GET / says that it is ready. Runs in the folder where its packages are installed.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { dataSource } from './data-source.mjs';

const { DATABASE_URL: connectionString, PORT: port, DATABASE_POOL_SIZE = '10' } = process.env;
const max = Number(DATABASE_POOL_SIZE);

const setup = new pg.Client(connectionString);
await setup.connect();
await setup.query(`
  create table leads (id uuid primary key, name text not null, email text not null, amount numeric,
    status text not null, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
  create table change_log (seq bigint generated always as identity primary key, object text not null,
    record_id uuid not null, op text not null, at timestamptz not null default now(), after jsonb not null);
  create index on change_log (object, record_id);
  create table outbox (seq bigint generated always as identity primary key, topic text not null,
    record_id uuid not null, payload jsonb not null, at timestamptz not null default now(), sent_at timestamptz);
  create index on outbox (seq) where sent_at is null;`);
await setup.end();

const source = dataSource('app', { connectionString, max });
const statement = (name, text) => (values) => source.client().query({ name, text, values });
const insertLead = statement(
  'lead',
  'insert into leads (id, name, email, amount, status) values ($1, $2, $3, $4, $5) returning *',
);
const insertChange = statement(
  'change',
  `insert into change_log (object, record_id, op, after) values ('lead', $1, 'create', $2)`,
);
const insertEvent = statement(
  'event',
  `insert into outbox (topic, record_id, payload) values ('lead.created', $1, $2)`,
);

async function write({ name, email, amount, status }) {
  const { rows } = await insertLead([randomUUID(), name, email, amount, status]);
  const lead = JSON.stringify(rows[0]);
  await insertChange([rows[0].id, lead]);
  await insertEvent([rows[0].id, lead]);
  return JSON.parse(lead);
}
const addLead = DBOS.registerWorkflow((lead) => source.runTransaction(() => write(lead), { name: 'insertLead' }), {
  name: 'addLead',
});

DBOS.setConfig({
  name: 'peer',
  systemDatabaseUrl: connectionString,
  systemDatabasePoolSize: max,
  logLevel: 'error',
  applicationVersion: 'bench',
  executorID: 'bench',
});
await DBOS.launch();

async function respond(request) {
  if (request.method === 'GET') return null;
  const { payload } = await json(request);
  const workflow = await DBOS.startWorkflow(addLead, {})(payload);
  return workflow.getResult();
}

const server = createServer((request, response) => {
  const send = (status, body) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  respond(request).then(
    (data) => send(200, { data }),
    (error) => {
      console.error(error);
      send(500, { message: error.message });
    },
  );
});
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
  void DBOS.shutdown().finally(() => process.exit());
});
