import { ulid } from 'ulid';
import type { NewExecution } from '../../src/features/commands/executions/execution-store.ts';
import { container, type TestTenant, type TestUser } from './world.ts';

/** An execution as a node stores it that has accepted the command of an administrator. */
export async function newExecution(
  tenant: TestTenant,
  user: TestUser,
  rest: Partial<NewExecution> = {},
): Promise<NewExecution> {
  const { snapshots } = await container();
  return {
    pid: ulid(),
    environment: 'dev',
    tenantId: tenant.id,
    userId: user.id,
    userPid: user.pid,
    username: user.email,
    keyMadeBy: null,
    roles: ['ADMIN'],
    commandCode: 'probe:write',
    operation: 'CREATE',
    targetRecordId: null,
    matchOn: null,
    expectedVersion: null,
    metadataVersion: (await snapshots.current('dev')).version,
    payload: {},
    idempotencyKey: ulid(),
    requestHash: 'h',
    traceId: ulid(),
    runPid: null,
    nodePid: null,
    ...rest,
  };
}
