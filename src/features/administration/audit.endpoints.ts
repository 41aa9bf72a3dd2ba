import { storable, ISO_DATETIME, dateOf } from '../../foundation/validation/formats.ts';
import {
  text,
  object,
  PID,
  TIME,
  nullable,
  ANYTHING,
  BOOLEAN,
  integer,
  type Static,
  parameters,
} from '../../foundation/validation/schema.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { type AuditLog, type AuditFilter } from '../../platform/audit/audit-log.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { AUDIT_READ, ADMIN_ENVIRONMENTS } from '../../platform/metadata/permissions/permission-codes.ts';
import { type CustomReply, customReply } from '../../foundation/http/reply.ts';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { type AuditEntry } from '../../platform/audit/audit-entry.entity.ts';

const BASE = '/api/admin/audit';
const tag = 'Audit';

const NDJSON = 'application/x-ndjson';

const TEXT = storable({ maxLength: 200 });
const FILTER = {
  actor: { ...TEXT, description: 'The pid of a user' },
  action: { ...TEXT, description: 'As a whole, or its beginning followed by `*`' },
  target: TEXT,
  environment: TEXT,
  since: ISO_DATETIME,
  until: ISO_DATETIME,
};
const HASH = text({ description: 'SHA-256 as hex digits' });
const ENTRY = object({
  pid: PID,
  at: TIME,
  actor: object({ userPid: text(), username: text() }),
  action: text(),
  targetType: text(),
  targetPid: text(),
  environment: nullable(text()),
  reason: nullable(text()),
  before: ANYTHING,
  after: ANYTHING,
  hash: HASH,
  previousHash: HASH,
  traceId: nullable(text()),
});
const QUERY = parameters({ ...PAGING_QUERY, ...FILTER });

/**
 * The audit trail. It tells of what all tenants share, so reading it needs `audit:read` and
 * `admin:environments`.
 */
export function auditEndpoints(log: AuditLog): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access: [AUDIT_READ, ADMIN_ENVIRONMENTS],
      tag,
      summary: 'The audit trail, newest first',
      query: QUERY,
      data: pageOf(ENTRY),
      errors: ['CONFLICT'],
      media: { type: NDJSON, description: 'All of it, one entry per line', json: true },
      async handle({ query, request }) {
        const { pageNum, pageSize } = query;
        if (request.accepts(['json', NDJSON]) === NDJSON) return linesOf(log, filterOf(query));
        const { records, total } = await log.list(filterOf(query), pageNum, pageSize);
        return { records: records.map(present), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/verify`,
      access: [AUDIT_READ, ADMIN_ENVIRONMENTS],
      tag,
      summary: 'Whether the chain of hashes is whole',
      data: object({ ok: BOOLEAN, entries: integer(0), brokenAt: nullable(PID) }),
      handle: () => log.verify(),
    }),
  ];
}

function linesOf(log: AuditLog, filter: AuditFilter): CustomReply {
  async function* lines(): AsyncGenerator<string> {
    for await (const entry of log.each(filter)) yield `${JSON.stringify(present(entry))}\n`;
  }
  return customReply((response) => pipeline(Readable.from(lines()), response.type(NDJSON)));
}

function filterOf({ actor, action, environment, target, since, until }: Static<typeof QUERY>): AuditFilter {
  return { actor, action, environment, targetPid: target, since: dateOf(since), until: dateOf(until) };
}

function present(entry: AuditEntry) {
  const { pid, at, actor, action, targetType, targetPid, environment, reason, before, after } = entry;
  const { hash, previousHash, traceId } = entry;
  // oxfmt-ignore
  return {
    pid, at, actor, action, targetType, targetPid, environment, reason, before, after, hash, previousHash, traceId,
  };
}
