import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router, type Request } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS, AUDIT_READ } from '../metadata/permission-codes.ts';
import type { AuditEntry } from './audit-entry.entity.ts';
import type { AuditFilter, AuditLog } from './audit-log.ts';
import * as contracts from './audit.contracts.ts';

const BASE = '/api/admin/audit';
const { MAX_FILTER_LENGTH, NDJSON } = contracts;

/** The audit trail. It tells of what all tenants share, so reading it needs `audit:read` and `admin:environments`. */
export function auditRoutes(gate: Gate, log: AuditLog): Router {
  const router = Router();
  const mayRead = access(AUDIT_READ, ADMIN_ENVIRONMENTS);
  const admit = async (request: Request): Promise<void> => {
    const { actor } = await gate.admit(request);
    authorise(actor, AUDIT_READ);
    authorise(actor, ADMIN_ENVIRONMENTS);
  };

  router.get(BASE, mayRead, contract(contracts.listEntries), async (request, response, next) => {
    if (request.accepts(['json', NDJSON]) !== NDJSON) return next();
    await admit(request);
    const errors: FieldErrors = {};
    const filter = parseFilter(request.query, errors);
    throwIfInvalid(errors);
    response.type(NDJSON);
    await pipeline(Readable.from(lines(log, filter)), response);
  });
  router.get(
    BASE,
    mayRead,
    contract(contracts.listEntries),
    answer(async (request) => {
      await admit(request);
      const errors: FieldErrors = {};
      const filter = parseFilter(request.query, errors);
      const { pageNum, pageSize } = parsePaging(request.query, errors);
      throwIfInvalid(errors);
      const { records, total } = await log.list(filter, pageNum, pageSize);
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

function parseFilter(query: Request['query'], errors: FieldErrors): AuditFilter {
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string' && value.length <= MAX_FILTER_LENGTH && !value.includes('\0')) return value;
    errors[name] = `must be one text of at most ${MAX_FILTER_LENGTH} characters`;
    return undefined;
  };
  const time = (name: string): Date | undefined => {
    const value = text(name);
    const date = value === undefined ? undefined : new Date(value);
    if (date && Number.isNaN(date.getTime())) errors[name] = 'must be an ISO 8601 time';
    return date;
  };
  return {
    actor: text('actor'),
    action: text('action'),
    targetPid: text('target'),
    environment: text('environment'),
    since: time('since'),
    until: time('until'),
  };
}

function present(entry: AuditEntry) {
  const { pid, at, actor, action, targetType, targetPid, environment, reason, before, after } = entry;
  const { hash, previousHash, traceId } = entry;
  const content = { pid, at, actor, action, targetType, targetPid, environment, reason, before, after };
  return { ...content, hash, previousHash, traceId };
}
