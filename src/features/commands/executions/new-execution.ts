import { newPid } from '../../../foundation/database/pid.ts';
import { canonicalHash } from '../../../foundation/validation/canonical-json.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { CommandRequest } from '../command-request.ts';
import type { ExecutedOperation } from './execution.entity.ts';
import type { NewExecution } from './execution-store.ts';

/** An execution that is not stored yet, for a request that has been checked. */
export function newExecution(
  actor: Actor,
  commandCode: string,
  request: Omit<CommandRequest, 'operation'> & { readonly operation: ExecutedOperation },
  traceId: string,
  runPid: string | null = null,
): NewExecution {
  const { operation, payload, targetRecordId, matchOn, expectedVersion, idempotencyKey } = request;
  return {
    pid: newPid(),
    environment: actor.metadata.environment,
    tenantId: actor.tenantId,
    userId: actor.userId,
    userPid: actor.userPid,
    username: actor.username,
    keyMadeBy: actor.keyMadeBy ?? null,
    roles: [...actor.roles],
    commandCode,
    operation,
    targetRecordId,
    expectedVersion,
    matchOn: matchOn && [...matchOn],
    metadataVersion: actor.metadata.version,
    payload: { ...payload },
    idempotencyKey,
    // The same body with its keys in another order is the same request.
    requestHash: canonicalHash([operation, targetRecordId, expectedVersion, payload, ...(matchOn ?? [])]),
    traceId,
    runPid,
    nodePid: null,
  };
}
