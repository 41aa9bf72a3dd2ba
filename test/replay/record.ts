import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { toFailure } from '../../activities/failure.ts';
import { conflict, unavailable } from '../../src/errors/application-error.ts';
import {
  commandWorkflowId,
  DELIVER_WEBHOOK,
  DELIVERY_CHANGED,
  deliveryWorkflowId,
  EXECUTE_COMMAND,
  RECOVER_DELIVERIES,
  recoveryWorkflowId,
  type Activities,
  type DeliveryState,
} from '../../workflows/contracts.ts';

/**
 * Records the histories that replay.test.ts replays: `node test/replay/record.ts <version> [workflow]` against
 * TEMPORAL_ADDRESS, a server that the program has prepared with its search attributes.
 * Recorded histories are never edited and never recorded again: they stand for the workflows that run in production
 * while new code is deployed. A workflow that changes gets new histories under a new version beside the old ones.
 */

interface Scenario {
  readonly activities: Partial<Activities>;
  /** What happens from outside, once the workflow has been started. */
  readonly meanwhile?: (workflow: WorkflowHandle) => Promise<void>;
}

interface Recorded {
  readonly type: string;
  readonly start: (pid: string) => { workflowId: string; args: [object] };
  readonly scenarios: Record<string, () => Scenario>;
}

/** What becomes of an attempt to apply the command. */
const applying = (apply: (attempt: number) => Promise<void>) => (): Scenario => {
  let attempt = 0;
  return { activities: { applyCommand: () => apply((attempt += 1)) } };
};

/** What comes of one attempt to deliver after the other. */
const delivering = (...states: readonly (() => Promise<DeliveryState>)[]): Scenario['activities'] => {
  let attempt = 0;
  return { attemptDelivery: async () => (states[(attempt += 1) - 1] as () => Promise<DeliveryState>)() };
};
const ends = (status: string) => async (): Promise<DeliveryState> => ({ status, ended: true, waitMs: 1 });
const waits = (waitMs: number) => async (): Promise<DeliveryState> => ({ status: 'RETRYING', ended: false, waitMs });

const WORKFLOWS: Record<string, Recorded> = {
  'execute-command': {
    type: EXECUTE_COMMAND,
    start: (executionPid) => ({ workflowId: commandWorkflowId(executionPid), args: [{ executionPid }] }),
    scenarios: {
      /** The transaction commits. */
      succeeded: applying(async () => undefined),
      /** A rule of the command is broken: the failure is final. */
      failed: applying(async () => {
        throw toFailure(conflict('STATE'));
      }),
      /** Postgres is away for two attempts. */
      retried: applying(async (attempt) => {
        if (attempt < 3) throw toFailure(unavailable('postgres'));
      }),
      /** The transaction waits for a lock for longer than a workflow task may take, so the worker asks for more time. */
      'held-up': applying(() => new Promise((resolve) => setTimeout(resolve, 13_000))),
    },
  },
  'deliver-webhook': {
    type: DELIVER_WEBHOOK,
    start: (deliveryPid) => ({ workflowId: deliveryWorkflowId(deliveryPid), args: [{ deliveryPid }] }),
    scenarios: {
      succeeded: () => ({ activities: delivering(ends('SUCCEEDED')) }),
      /** The endpoint fails twice; Postgres is away in between. */
      retried: () => {
        const away = async (): Promise<DeliveryState> => {
          throw toFailure(unavailable('postgres'));
        };
        return { activities: delivering(waits(500), away, waits(500), ends('SUCCEEDED')) };
      },
      /** Somebody gives it up while it waits for a retry. */
      cancelled: () => ({
        activities: delivering(waits(600_000), ends('CANCELLED')),
        meanwhile: async (workflow) => {
          await waitsForTimer(workflow);
          await workflow.signal(DELIVERY_CHANGED, null);
        },
      }),
      /** Somebody resends it while its last attempt is out. */
      resent: () => {
        const signalled = Promise.withResolvers<void>();
        const last = async (): Promise<DeliveryState> => {
          await signalled.promise;
          return { status: 'FAILED', ended: true, waitMs: 1 };
        };
        return {
          activities: delivering(last, ends('SUCCEEDED')),
          meanwhile: async (workflow) => {
            await workflow.signal(DELIVERY_CHANGED, null);
            signalled.resolve();
          },
        };
      },
    },
  },
  'recover-deliveries': {
    type: RECOVER_DELIVERIES,
    start: (recoveryPid) => ({ workflowId: recoveryWorkflowId(recoveryPid), args: [{ recoveryPid }] }),
    scenarios: {
      /** Two batches, then none. */
      done: () => {
        let batch = 0;
        return { activities: { recoverBatch: async () => (batch += 1) < 3 } };
      },
    },
  },
};

/** Resolves when the workflow has begun to wait. */
async function waitsForTimer(workflow: WorkflowHandle): Promise<void> {
  for (;;) {
    const { events } = await workflow.fetchHistory();
    if (events?.some(({ timerStartedEventAttributes: timer }) => timer)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const [version, only] = process.argv.slice(2);
if (!version || !/^v\d+$/.test(version) || (only !== undefined && !(only in WORKFLOWS))) {
  throw new Error(`usage: node test/replay/record.ts v<number> [${Object.keys(WORKFLOWS).join(' | ')}]`);
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' });
const client = new Client({ connection, identity: 'recorder' });
const folder = new URL('histories/', import.meta.url);
await mkdir(folder, { recursive: true });

for (const [workflow, { type, start, scenarios }] of Object.entries(WORKFLOWS)) {
  if (only !== undefined && workflow !== only) continue;
  for (const [name, scenario] of Object.entries(scenarios)) {
    const { activities, meanwhile } = scenario();
    const taskQueue = `record-${name}`;
    const worker = await Worker.create({
      connection,
      taskQueue,
      identity: 'recorder',
      workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
      activities,
    });
    await worker.runUntil(async () => {
      const handle = await client.workflow.start(type, { ...start(`recorded-${name}-${Date.now()}`), taskQueue });
      await meanwhile?.(handle);
      await handle.result().catch(() => undefined);
      const file = new URL(`${workflow}.${version}.${name}.json`, folder);
      await writeFile(file, `${JSON.stringify(await handle.fetchHistory(), null, 2)}\n`, { flag: 'wx' });
      console.log(`recorded ${fileURLToPath(file)}`);
    });
  }
}
await connection.close();
