import { createServer, type Server } from 'node:http';
import { ulid } from 'ulid';
import type { PlatformOrm } from '../src/foundation/database/orm.ts';
import type { Database } from '../src/foundation/database/pool.ts';
import { UserEntity } from '../src/platform/auth/accounts/user.entity.ts';
import { EndpointEntity, SubscriptionEntity } from '../src/features/webhooks/subscription.entity.ts';
import { TENANTS } from './bench-data.ts';

const [TENANT] = TENANTS;

/** A receiver on loopback. `onCall` gets the path and the body of each request before the answer. */
export async function startReceiver(
  onCall: (path: string, body: string) => boolean,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (onCall(request.url ?? '', body)) response.writeHead(200, { 'Content-Length': 0 }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, server };
}

/** Subscribes to events as a user, because a subscription needs the rights of one. @returns their pids */
export async function subscribe(
  orm: PlatformOrm,
  email: string,
  wanted: readonly { readonly targetUrl: string; readonly eventType: string }[],
): Promise<string[]> {
  const em = orm.em.fork();
  const owner = await em.findOneOrFail(UserEntity, { email });
  const subscriptions = wanted.map(({ targetUrl, eventType }) => ({
    pid: ulid(),
    environment: 'dev' as const,
    tenantId: TENANT.id,
    name: eventType,
    targetUrl,
    eventType,
    secrets: [],
    maxRetries: 8,
    timeoutMs: 10_000,
    ordering: 'none' as const,
    enabled: true,
    roles: ['SALES'],
    createdBy: owner.pid,
    createdByName: owner.username,
    ownedBy: owner.pid,
  }));
  const pids = subscriptions.map(({ pid }) => pid);
  await em.insertMany(SubscriptionEntity, subscriptions);
  await em.insertMany(
    EndpointEntity,
    pids.map((subscriptionPid) => ({ subscriptionPid })),
  );
  return pids;
}

/** Inserts events into the outbox, as commands would. */
export async function insertEvents(database: Database, eventTypes: readonly string[], number: number): Promise<void> {
  await database.query(
    `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
     select 'bench' || $1 || i, 'dev', $2, ($3::text[])[1 + i % cardinality($3::text[])], 'bench', 'lead',
       json_build_object('commandCode', 'bench', 'modelCode', 'lead', 'payload', json_build_object('name', $1 || '-' || i), 'result', json_build_object())::text, 'bench'
     from generate_series(1, $4::int) i`,
    [ulid().slice(-12), TENANT.id, eventTypes, number],
  );
}
