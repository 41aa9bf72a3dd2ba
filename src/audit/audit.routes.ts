import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router, type Request } from 'express';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { dateOf } from '../http/formats.ts';
import type { Paging } from '../http/paging.ts';
import { readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS, AUDIT_READ } from '../metadata/permission-codes.ts';
import type { AuditEntry } from './audit-entry.entity.ts';
import type { AuditFilter, AuditLog } from './audit-log.ts';
import * as contracts from './audit.contracts.ts';

const BASE = '/api/admin/audit';
const { NDJSON } = contracts;

interface FilterQuery {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly environment?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The audit trail. It tells of what all tenants share, so reading it needs `audit:read` and `admin:environments`. */
export function auditRoutes(gate: Gate, log: AuditLog): Router {
  const router = Router();
  const mayRead = access(AUDIT_READ, ADMIN_ENVIRONMENTS);
  const admit = (request: Request) => gate.admitWith(request, AUDIT_READ, ADMIN_ENVIRONMENTS);

  router.get(BASE, mayRead, contract(contracts.listEntries), async (request, response, next) => {
    if (request.accepts(['json', NDJSON]) !== NDJSON) return next();
    await admit(request);
    const filter = filterOf(readQuery<FilterQuery>(request, contracts.exportEntries));
    response.type(NDJSON);
    await pipeline(Readable.from(lines(log, filter)), response);
  });
  router.get(
    BASE,
    mayRead,
    contract(contracts.listEntries),
    answer(async (request) => {
      await admit(request);
      const { pageNum, pageSize, ...filter } = readQuery<Paging & FilterQuery>(request, contracts.listEntries);
      const { records, total } = await log.list(filterOf(filter), pageNum, pageSize);
      return ok({ records: records.map(present), total, pageNum, pageSize });
    }),
  );
  router.all(BASE, onlyMethods('GET'));

  router.get(
    `${BASE}/verify`,
    mayRead,
    contract(contracts.verify),
    answer(async (request) => {
      await admit(request);
      return ok(await log.verify());
    }),
  );
  router.all(`${BASE}/verify`, onlyMethods('GET'));
  return router;
}

async function* lines(log: AuditLog, filter: AuditFilter): AsyncGenerator<string> {
  for await (const entry of log.each(filter)) yield `${JSON.stringify(present(entry))}\n`;
}

function filterOf({ target, since, until, ...rest }: FilterQuery): AuditFilter {
  return { ...rest, targetPid: target, since: dateOf(since), until: dateOf(until) };
}

function present(entry: AuditEntry) {
  const { pid, at, actor, action, targetType, targetPid, environment, reason, before, after } = entry;
  const { hash, previousHash, traceId } = entry;
  const content = { pid, at, actor, action, targetType, targetPid, environment, reason, before, after };
  return { ...content, hash, previousHash, traceId };
}
